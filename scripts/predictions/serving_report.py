"""How far predictions of serving runs are off: over all runs, by group, and the worst of them.

`scripts/predictions.py serving` prints what `report` finds of a file of runs; the experiment
"serving_predictions" records the same. `serving.py` predicts them.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scripts.predictions.serving import Errors, Prediction, errors, load, predictable
from scripts.predictions.serving_runs import (
    HELD_BACK_CARDS,
    HELD_BACK_MODELS,
    SERVER,
    Run,
    held_back,
    may_draft,
)
from snippets.serving_constants import SERVING_VALIDATED


def both_errors(found: dict[Run, Prediction], runs: Iterable[Run]) -> dict[str, Errors]:
    """Errors of the time to the first token, and of that per output token."""
    chosen = list(runs)
    return {
        "tpot": errors((found[run].tpot * 1e3, run.tpot) for run in chosen),
        "ttft": errors((found[run].ttft * 1e3, run.ttft) for run in chosen),
    }


PARTS: dict[str, Callable[[Run], bool]] = {
    "all": lambda run: True,
    "cannot_draft": lambda run: not may_draft(run),
    "may_draft": may_draft,
}
VALIDATION: dict[str, Callable[[Run], bool]] = {
    "fitted_on": lambda run: not held_back(run),
    "held_back_models": lambda run: run.model in HELD_BACK_MODELS,
    "held_back_cards": lambda run: run.system in HELD_BACK_CARDS,
}
GROUPS: dict[str, Callable[[Run], str]] = {
    "model": lambda run: run.model,
    "card": lambda run: run.system,
    "framework": lambda run: run.backend,
    "mode": lambda run: run.mode,
}


def report(runs: Sequence[Run], count: int = 10) -> dict[str, Any]:
    """Errors over all and by group, the worst `count`, runs above the ceiling, what has no prediction.

    "validation" is by the constants that were fitted without what is held back. The worst are by time
    per output token. A run is above the ceiling where it takes less than reading its weights and caches
    once for each token does.
    """
    found, refused = predictable(runs)
    before, _ = predictable(runs, SERVING_VALIDATED)
    grouped: dict[str, dict[str, list[Run]]] = {name: {} for name in GROUPS}
    for run in found:
        for name, of in GROUPS.items():
            grouped[name].setdefault(of(run), []).append(run)
    worst = sorted(found, key=lambda run: -abs(found[run].tpot * 1e3 / run.tpot - 1))[:count]
    above = [run for run in found if run.tpot < found[run].least * 1e3]
    return {
        "runs": len(runs),
        "predicted": len(found),
        "parts": by_part(found, PARTS),
        "validation": by_part(before, VALIDATION),
        "validated_digest": digest(before),
        "groups": {
            name: {key: both_errors(found, some) for key, some in sorted(group.items())}
            for name, group in grouped.items()
        },
        "worst": [described(run, found[run]) for run in worst],
        "above_ceiling": [described(run, found[run]) for run in above],
        "refused": dict(Counter(refused.values()).most_common()),
    }


def by_part(
    found: dict[Run, Prediction], parts: Mapping[str, Callable[[Run], bool]]
) -> dict[str, dict[str, Errors]]:
    """Errors of the parts that have runs."""
    chosen = {part: [run for run in found if of(run)] for part, of in parts.items()}
    return {part: both_errors(found, some) for part, some in chosen.items() if some}


def digest(found: Mapping[Run, Prediction]) -> str:
    """SHA-256 of the predictions, to four digits, of runs in the order of their lines."""
    text = "".join(
        f"{run.line} {prediction.tpot:.3e} {prediction.ttft:.3e}\n"
        for run, prediction in sorted(found.items(), key=lambda pair: pair[0].line)
    )
    return hashlib.sha256(text.encode()).hexdigest()


def why(run: Run, prediction: Prediction) -> str:
    """What may explain a run that is far off, as far as its line lets one say."""
    split, decoding = run.decode, load(run).decoding
    slower = run.tpot > prediction.tpot * 1e3
    for holds, reason in (
        (split.tensor > SERVER, "one worker on more cards than a server has: probably several"),
        (not run.concurrency, "it is not written how many were in flight: its batch is taken"),
        (slower, "not known"),
        (may_draft(run), "its model has layers that draft: it may have speculated"),
        (run.ttft > run.tpot * run.output, "most waited: fewer were decoded at once"),
        (
            split.tensor * split.attention_data > SERVER,
            "its cards may be linked better than assumed",
        ),
        (
            decoding.cache > prediction.least / 2,
            "its caches may hold fewer bits than assumed",
        ),
    ):
        if holds:
            return reason
    return "not known"


def described(run: Run, prediction: Prediction) -> dict[str, Any]:
    """A run and both of its times in milliseconds, predicted and measured."""
    return {
        "line": run.line,
        "run": str(run),
        "tpot": run.tpot,
        "predicted_tpot": prediction.tpot * 1e3,
        "least_tpot": prediction.least * 1e3,
        "ttft": run.ttft,
        "predicted_ttft": prediction.ttft * 1e3,
        "why": why(run, prediction),
    }


def show_json(runs: Sequence[Run]) -> None:
    """Print the report as JSON."""
    print(json.dumps(report(runs), indent=1, default=vars, allow_nan=False))


def show(runs: Sequence[Run]) -> None:
    """Print the report as tables."""
    found = report(runs)
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"{found['predicted']} of {found['runs']} runs predicted")
    heads = ("runs", "TPOT median", "nine in ten", "bias", "TTFT median", "nine in ten", "bias")
    sections = {"all": found["parts"], "validation": found["validation"], **found["groups"]}
    for title, rows in sections.items():
        table = Table(title, *heads, title="absolute relative error")
        for name, both in rows.items():
            tpot, ttft = both["tpot"], both["ttft"]
            shares = (
                tpot.median,
                tpot.ninetieth,
                tpot.bias,
                ttft.median,
                ttft.ninetieth,
                ttft.bias,
            )
            table.add_row(name, str(tpot.runs), *(f"{share:.1%}" for share in shares))
        console.print(table)
    for title, listed in (
        ("the worst ten", found["worst"]),
        ("faster than reading weights and caches once a token allows", found["above_ceiling"]),
    ):
        table = Table("line", "run", "measured ms", "predicted", "least", "why", title=title)
        for each in listed:
            times = [f"{each[name]:.2f}" for name in ("tpot", "predicted_tpot", "least_tpot")]
            table.add_row(str(each["line"]), each["run"], *times, each["why"])
        console.print(table)
    table = Table("runs", "why", title="without a prediction")
    for why, count in found["refused"].items():
        table.add_row(str(count), why)
    console.print(table)
