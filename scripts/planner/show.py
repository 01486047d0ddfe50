"""An answer as people read it: a table, a bar, what fits instead, and what was assumed."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scripts.planner.answer import SPEEDS, Answer

GiB = 2**30
COLORS = ("cyan", "magenta", "yellow", "green", "blue", "red", "bright_cyan", "bright_magenta")
BAR = 60


def show(answer: Answer, console: Console) -> None:
    """Print an answer."""
    asked = answer.question
    parameters = f"{asked['parameters'] / 1e9:,.2f} billion parameters"
    if asked["active_parameters"] != asked["parameters"]:
        parameters += f", {asked['active_parameters'] / 1e9:,.2f} billion active"
    console.print(f"[bold]{asked['model']}[/] ({parameters})")
    console.print(f"on {asked['gpus']} x {asked['gpu']}: {settings(asked)}\n")
    console.print(memory_table(answer))
    console.print(bar(answer))
    verdict = "[green]fits[/]" if answer.fits else "[red]does not fit[/]"
    left = answer.available - answer.total
    console.print(
        f"It {verdict}: {abs(left) / GiB:.2f} GiB {'left' if left >= 0 else 'too much'}.\n"
    )
    if answer.nearest:
        console.print(f"Nearest plan that fits: {nearest_words(answer.nearest)}\n")
    elif not answer.fits:
        console.print("No plan within reach fits.\n")
    if answer.speed:
        console.print(speed_table(answer.speed))
    console.print("Assumed:")
    for each in answer.assumptions:
        console.print(f"  - {each}")


def show_service(found: dict[str, Any], console: Console) -> None:
    """Print what `scripts.planner.service.answer` gives."""
    asked = found["question"]
    cards, replicas = found["cards"], found["replicas"]
    console.print(f"[bold]{asked['model']}[/], weights {asked['format']}, on {asked['gpu']}")
    console.print(
        f"tokens of each prompt: {asked['prompt']:,}, of each answer: {asked['answer']:,}\n"
    )
    each = "" if found["tensor"] == 1 else f", its matrices split over {found['tensor']}"
    console.print(
        f"[bold]{cards} card{'s' * (cards > 1)}[/]: {replicas} replica{'s' * (replicas > 1)}"
        f"{each}, {found['batch']} request{'s' * (found['batch'] > 1)} at once in each\n"
    )
    table = Table("", "predicted", "nine in ten, from", "to")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, words_of in (("ttft", "time to first token"), ("tpot", "time per output token")):
        shown = [f"{v:,.3g} {u}" for v, u in (prefixed(x, "s") for x in found[name].values())]
        table.add_row(words_of, *shown)
    table.add_row("requests per second", f"{found['requests_per_second']:,.3g}")
    table.add_row("output tokens per second", f"{found['tokens_per_second']:,.4g}")
    if "cost_per_million_tokens" in found:
        cost = f"{found['cost_per_million_tokens']:,.3g}"
        table.add_row("cost of a million output tokens", cost)
    console.print(table)
    console.print(
        f"Each card holds {found['memory_bytes'] / GiB:.2f} of {found['available_bytes'] / GiB:.2f} GiB."
        f" At most {found['largest_batch']:,} such requests fit at once in a replica, or"
        f" {found['batch']} of {found['longest_context']:,} tokens."
    )
    console.print("Assumed:")
    for line in found["assumptions"]:
        console.print(f"  - {line}")


def settings(asked: dict[str, Any]) -> str:
    """What was asked beside the model and the GPUs, in words."""
    hidden = ("model", "parameters", "active_parameters", "gpu", "gpus")
    shown = {name: value for name, value in asked.items() if name not in hidden}
    return ", ".join(f"{name.replace('_', ' ')} {words(value)}" for name, value in shown.items())


def words(value: Any) -> str:
    """A setting as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,g}" if isinstance(value, float) else str(value)


def memory_table(answer: Answer) -> Table:
    """A row for each part of the memory: bytes, GiB and its share; then total and memory."""
    table = Table("on each GPU", "bytes", "GiB", "share")
    for column in table.columns[1:]:
        column.justify = "right"
    for (name, value), color in zip(answer.memory.items(), colors(answer), strict=True):
        row = (f"{value:,.0f}", f"{value / GiB:.2f}", f"{value / answer.total:.1%}")
        table.add_row(Text(name.replace("_", " "), style=color), *row)
    table.add_section()
    table.add_row("total", f"{answer.total:,.0f}", f"{answer.total / GiB:.2f}", "")
    table.add_row("memory", f"{answer.available:,.0f}", f"{answer.available / GiB:.2f}", "")
    return table


def bar(answer: Answer) -> Text:
    """Each part to scale, and a mark where the memory ends."""
    scale = BAR / max(answer.total, answer.available)
    text = Text()
    filled = 0.0
    drawn = 0
    for value, color in zip(answer.memory.values(), colors(answer), strict=True):
        filled += value * scale
        text.append("█" * (round(filled) - drawn), style=color)
        drawn = round(filled)
    end = round(answer.available * scale)
    if answer.fits:
        text.append("·" * (end - drawn))
        return text + Text("|")
    return text[:end] + Text("|") + text[end:]


def colors(answer: Answer) -> list[str]:
    """A color for each part of the memory, in its order."""
    return [COLORS[index % len(COLORS)] for index in range(len(answer.memory))]


def nearest_words(nearest: dict[str, Any]) -> str:
    """What to change, and what the fullest GPU holds then."""
    changed = ", ".join(
        f"{name.replace('_', ' ')} {words(value)}" for name, value in nearest["changes"].items()
    )
    return f"[bold]{changed}[/] ({nearest['total_bytes'] / GiB:.2f} GiB)"


def speed_table(speed: dict[str, float]) -> Table:
    """A row for each rate, with its prefix and unit."""
    table = Table("at most", "", "")
    table.columns[1].justify = "right"
    for name, value in speed.items():
        label, unit = SPEEDS[name]
        value, unit = prefixed(value, unit)
        table.add_row(label, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", unit)
    return table


def prefixed(value: float, unit: str) -> tuple[float, str]:
    """Seconds below one in ms or µs."""
    if unit != "s" or value >= 1:
        return value, unit
    return (value * 1e3, "ms") if value >= 1e-3 else (value * 1e6, "µs")
