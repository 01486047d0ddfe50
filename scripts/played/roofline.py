"""A decoding step and a prompt under the roof of a card, and the tokens per second that it allows them."""

import math
from dataclasses import dataclass
from typing import Any

from scripts.played.sheet import Control, Picture, dot, line, text
from snippets.bandwidth import attainable_operations, balance_point, roofline_seconds

FOLLOWS = {"card": "h100-sxm", "model": "llama-3.1-8b"}  # until a reader chooses others
CONTEXT = 2048  # tokens of each conversation that is decoded
BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
PROMPTS = [1, 8, 32, 128, 512, 2048, 8192]
FORMATS = ["FP16", "FP8", "INT4, groups of 32"]
CONTROLS = [
    Control("batch", "Batch", [f"{batch}" for batch in BATCHES], BATCHES.index(64)),
    Control("prompt", "Prompt", [f"{tokens:,} tokens" for tokens in PROMPTS], PROMPTS.index(2048)),
    Control("format", "Weights", ["FP16", "FP8", "INT4"], 0),
]
LEFT = 44  # pixels around the axes
RIGHT = 24
TOP = 24
BOTTOM = 42
FIRST = 0.5  # operations per byte
LAST = 16384
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"


@dataclass(frozen=True)
class Roof:
    """A card's roof in a picture whose height is for operations/s from ten to the `low` to the `high`."""

    width: float
    height: float
    low: float
    high: float
    peak: float
    bandwidth: float


def place(roof: Roof, intensity: float, operations: float) -> list[float]:
    """Where a point stands, in pixels."""
    x = math.log2(intensity / FIRST) / math.log2(LAST / FIRST)
    y = (roof.high - math.log10(operations)) / (roof.high - roof.low)
    return [LEFT + x * (roof.width - LEFT - RIGHT), TOP + y * (roof.height - TOP - BOTTOM)]


def reach(roof: Roof, intensity: float) -> list[float]:
    """The point of the roof at an intensity."""
    operations = attainable_operations(
        intensity=intensity, peak_operations=roof.peak, memory_bandwidth=roof.bandwidth
    )
    return place(roof, intensity, operations)


def draw(
    width: float, height: float, at: list[int], card: dict[str, Any], model: dict[str, Any]
) -> Picture:
    """The roof of a card in a format, the climb of decoding on it, the chosen batch and prompt."""
    batch, tokens, kind = BATCHES[at[0]], PROMPTS[at[1]], at[2]
    bandwidth, known = card["bandwidth"], card["peaks"][kind] is not None
    peak = card["peaks"][kind] if known else bandwidth * LAST
    balance = balance_point(peak, bandwidth)
    roof = Roof(
        width=width,
        height=height,
        low=math.log10(bandwidth * FIRST) - 0.1,
        high=math.log10(peak) + 0.5,
        peak=peak,
        bandwidth=bandwidth,
    )
    marks = _grid(roof)
    marks.append(line([reach(roof, FIRST), reach(roof, balance), reach(roof, LAST)], "ink"))
    measured = card["measured"] if kind == 0 else []
    for intensity, operations in measured:
        x, y = place(roof, intensity, operations)
        marks.append(dot(x, y, 4, "green"))
    reads, cache = model["reads"][kind], model["cache"]
    climb = [
        [each * model["operations"], reads[index] + each * cache]
        for index, each in enumerate(BATCHES)
    ]
    for operations, moved in climb:
        x, y = reach(roof, operations / moved)
        marks.append(dot(x, y, 3, "blue"))
    step = _seconds(roof, climb[at[0]])
    marks += _named(roof, climb[at[0]], f"batch of {batch}", "blue", below=True)
    said = (
        f"{card['name']}, {model['name']}, {FORMATS[kind]}. Decoding {batch} at once, {CONTEXT:,} tokens "
        f"each: {batch / step:,.0f} tokens/s at most, {_milliseconds(step)} a step"
    )
    if known:
        prompt = [model["prompts"][at[1]], model["prompt_reads"][kind][at[1]]]
        first = _seconds(roof, prompt)
        marks += _named(roof, prompt, f"prompt of {tokens:,}", "orange", below=False)
        said += (
            f", {_bound(roof, climb[at[0]])}. A prompt of {tokens:,} tokens: {tokens / first:,.0f} "
            f"tokens/s, {_milliseconds(first)}, {_bound(roof, prompt)}."
        )
    else:
        said += (
            ", as memory allows it. The card's rate of such products is not published, "
            "so a prompt's time is not known."
        )
    needed = model["held"][kind] + batch * cache
    if needed > card["memory"]:
        said += (
            f" One card does not hold it: weights and caches take {needed / 1e9:,.0f} GB, "
            f"and it has {card['memory'] / 1e9:,.0f} GB."
        )
    if measured:
        said += " Green dots are products that were measured on it."
    return Picture("".join(marks), said)


def _grid(roof: Roof) -> list[str]:
    right, foot = roof.width - RIGHT, roof.height - BOTTOM
    marks = []
    for power in range(math.ceil(roof.low), math.floor(roof.high) + 1):
        y = place(roof, FIRST, 10.0**power)[1]
        tens = RAISED[power // 10] if power > 9 else ""
        marks.append(line([[LEFT, y], [right, y]], "faint"))
        marks.append(text(LEFT - 6, y + 4, f"10{tens}{RAISED[power % 10]}", "", "end"))
    for power in range(5):
        x = place(roof, 10.0**power, roof.peak)[0]
        marks.append(line([[x, TOP], [x, foot]], "faint"))
        marks.append(text(x, foot + 17, f"{10**power:,}"))
    marks.append(text(LEFT, 13, "operations per second", "quiet", "start"))
    marks.append(text(right, roof.height - 5, "operations per byte", "quiet", "end"))
    return marks


def _named(roof: Roof, work: list[float], name: str, tone: str, *, below: bool) -> list[str]:
    """A step's point and its name: to the right of the slope and under it, or above to the left."""
    x, y = reach(roof, min(work[0] / work[1], LAST))
    if below and x < roof.width * 0.7:
        return [dot(x, y, 7, tone), text(x + 11, y + 18, name, tone, "start")]
    return [dot(x, y, 7, tone), text(x + 6, y + (24 if below else -13), name, tone, "end")]


def _seconds(roof: Roof, work: list[float]) -> float:
    return roofline_seconds(
        operations=work[0],
        bytes_moved=work[1],
        peak_operations=roof.peak,
        memory_bandwidth=roof.bandwidth,
    )


def _bound(roof: Roof, work: list[float]) -> str:
    balance = balance_point(roof.peak, roof.bandwidth)
    return "compute-bound" if work[0] / work[1] >= balance else "memory-bound"


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds > 0.1 else f"{seconds * 1000:.2f} ms"
