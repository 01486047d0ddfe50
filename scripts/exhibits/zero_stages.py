"""Sixteen bytes per parameter, part by part, under each stage of ZeRO."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scripts.figures.drawing import (
    BLUE,
    GREEN,
    INK,
    ON_COLOUR,
    ORANGE,
    PURPLE,
    SKY,
    Figure,
    figure,
    label,
)
from scripts.records.record import Record
from snippets.training_memory import MIXED_PRECISION, PARTS, zero_bytes_per_parameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARAMETERS = 70e9
COPIES = 64
COLOURS = dict(zip(PARTS, (BLUE, ORANGE, GREEN, SKY, PURPLE), strict=True))


def zero_stages(records: Sequence[Record]) -> Figure:
    """What one of 64 copies holds of a 70B model under each stage of ZeRO."""
    words = {
        0: "nothing split",
        1: "stage 1: optimizer\nstate split",
        2: "stage 2: gradients\nsplit too",
        3: "stage 3: weights\nsplit too",
    }
    with figure("zero-stages", "Training memory per GPU under ZeRO", height=3.8) as sheet:
        axes = sheet.axes()
        for stage in words:
            _stage(axes, stage)
        axes.set(
            yticks=list(words),
            yticklabels=list(words.values()),
            xlabel=f"GB per GPU, {PARAMETERS / 1e9:.0f}B parameters over {COPIES} GPUs",
        )
        axes.invert_yaxis()
        axes.grid(axis="x")
        axes.set_axisbelow(True)
    return sheet


def _stage(axes: "Axes", stage: int) -> None:
    left = 0.0
    for part in PARTS:
        first_split = {"weights": 3, "gradients": 2}.get(part, 1)
        share = 1 / COPIES if stage >= first_split else 1
        width = getattr(MIXED_PRECISION, part) * share * PARAMETERS / 1e9
        axes.barh(stage, width, left=left, color=COLOURS[part], label=part.replace("_", " "))
        if stage == 0:
            axes.text(
                left + width / 2,
                stage,
                part.replace("_", "\n"),
                ha="center",
                va="center",
                fontsize=10,
                color=ON_COLOUR,
            )
        left += width
    total = zero_bytes_per_parameter(stage=stage, copies=COPIES) * PARAMETERS / 1e9
    label(axes, f"{total:,.1f}", (total, stage), (5, 0), va="center", color=INK)


FIGURES = (zero_stages,)
