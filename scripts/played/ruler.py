"""The ruler: a group's levels and the weights that are led to them, one of which can be dragged out."""

import json
import math
from pathlib import Path

from scripts.played.sheet import Control, Picture, dot, line, text
from snippets.formats import FP16
from snippets.number_formats import round_to_format
from snippets.quantized_size import bits_per_weight, largest_level

FIGURE = Path(__file__).resolve().parents[2] / "docs/figures/ruler.json"
WEIGHTS: list[float] = [row["weight"] for row in json.loads(FIGURE.read_text("utf-8"))["rows"]]
DRAGGED = max(range(len(WEIGHTS)), key=lambda at: abs(WEIGHTS[at]))
OWN = abs(WEIGHTS[DRAGGED])
FARTHEST = 0.16  # eight standard deviations
ROOM = 1.08  # of the picture's reach over the largest weight's
TURN = 0.85  # of the way from the middle: a weight that is dragged on moves faster, and the picture widens
BITS = [2, 3, 4, 5, 6, 8]
GROUPS = [8, 16, 32]
PLACES: list[float] = sorted([at / 200 for at in range(-32, 33)] + [WEIGHTS[DRAGGED]])
CONTROLS = [
    Control("bits", "Bits", [f"{bits}" for bits in BITS], BITS.index(4)),
    Control("group", "Group", [f"{group} weights" for group in GROUPS], GROUPS.index(32)),
    Control(
        "weight",
        "One weight",
        [f"{each:.3f}".replace("-", "−") for each in PLACES],
        PLACES.index(WEIGHTS[DRAGGED]),
    ),
]


def across(width: float, reach: float, weight: float) -> float:
    """The place of a weight, in pixels from the left of a picture that reaches so far to either side."""
    return width / 2 + weight / reach * (width / 2 - 10)


def drag(width: float, x: float) -> int:
    """The position of the last slider for a place that the weight is dragged to."""
    way = abs(2 * x / width - 1)
    weight = ROOM * OWN * way
    if way > TURN:
        weight = ROOM * OWN * TURN + (way - TURN) / (1 - TURN) * (FARTHEST - ROOM * OWN * TURN)
    wanted = -weight if 2 * x < width else weight
    return min(range(len(PLACES)), key=lambda at: abs(PLACES[at] - wanted))


def rounded(weights: list[float], bits: int) -> tuple[float, list[int]]:
    """The scale of a group and the level of each weight; snippets/quantization.py has it for arrays.

    >>> rounded([0.5, -3.5, 1.0], 4)
    (0.5, [1, -7, 2])
    """
    level = largest_level(bits)
    scale = round_to_format(max(abs(each) for each in weights) / level, FP16)
    if scale == 0:
        return scale, [0 for _ in weights]
    return scale, [max(-level, min(level, round(each / scale))) for each in weights]


def draw(width: float, height: float, at: list[int]) -> Picture:
    """A row for each group: its weights above its own ruler, a line from each to its level."""
    bits, group = BITS[at[0]], GROUPS[at[1]]
    weights = [PLACES[at[2]] if index == DRAGGED else each for index, each in enumerate(WEIGHTS)]
    reach = ROOM * max(OWN, abs(weights[DRAGGED]))
    rows = len(weights) // group
    tall = height / rows
    marks: list[str] = []
    levels: list[int] = []
    missed = 0.0
    for row in range(rows):
        own = weights[row * group : (row + 1) * group]
        scale, found = rounded(own, bits)
        top, base = tall * row + min(tall * 0.24, 60), tall * row + tall * 0.7
        for index, weight in enumerate(own):
            led = found[index] * scale
            missed += (weight - led) * (weight - led)
            tone = "zero" if found[index] == 0 else "blue"
            x = across(width, reach, weight)
            marks.append(line([[x, top], [across(width, reach, led), base - 4]], f"{tone} thin"))
            if row * group + index == DRAGGED:
                marks.append(dot(x, top, 22, "handle"))
                marks.append(dot(x, top, 8, f"{tone} dragged"))
            else:
                marks.append(dot(x, top, 4, tone))
        marks.append(_ruler(width, reach, base, scale, largest_level(bits)))
        free = weights[DRAGGED] < 0  # at the right end, where no weight is dragged
        x = width - 10 if free else 10
        marks.append(text(x, top + 5, f"s = {scale:.4f}", "quiet", "end" if free else "start"))
        levels += found
    error = math.sqrt(missed) / math.sqrt(sum(each * each for each in weights))
    zeros = levels.count(0) / len(levels)
    return Picture(
        "".join(marks),
        f"{bits} bits in groups of {group}: {bits_per_weight(bits, group):g} bits per weight with the "
        f"scales, relative error {error:.3f}, {zeros:.0%} of the weights at zero.",
    )


def _ruler(width: float, reach: float, base: float, scale: float, level: int) -> str:
    """A ruler's line and marks, as many of them numbered as there is room for."""
    step = across(width, reach, scale) - across(width, reach, 0)
    ends = [across(width, reach, -level * scale), across(width, reach, level * scale)]
    numbered = 1 if step > 22 else level
    marks = [line([[ends[0], base], [ends[1], base]], "ink")]
    for mark in range(-level, level + 1):
        x = across(width, reach, mark * scale)
        if step > 2 or mark % level == 0:
            marks.append(line([[x, base - 4], [x, base + 5]], "ink"))
        if mark % numbered == 0 and step * numbered > 14:
            marks.append(text(x, base + 19, f"−{-mark}" if mark < 0 else f"{mark}"))
    return "".join(marks)
