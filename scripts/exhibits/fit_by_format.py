"""A model's memory in three formats, beside what a card has."""

from collections.abc import Sequence

from scripts.figures.drawing import (
    BLUE,
    GREEN,
    INK,
    ON_COLOUR,
    ORANGE,
    PURPLE,
    Figure,
    figure,
    label,
)
from scripts.records.record import Record
from snippets.hardware import rtx_3060
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.models import llama_3_1_8b
from snippets.weight_formats import bf16_weights, int4_g32, int8_weights

GIB = 2**30
TOKENS = 8192
FORMATS = (bf16_weights, int8_weights, int4_g32)
PARTS = {
    "weights": (BLUE, ("weights",)),
    "cache": (ORANGE, ("cache",)),
    "step": (GREEN, ("activations", "logits")),
    "software": (PURPLE, ("workspace", "driver")),
}


def fit_by_format(records: Sequence[Record]) -> Figure:
    """A bar for each format, made of the parts of memory."""
    plans = [InferencePlan(model=llama_3_1_8b, weights=each, tokens=TOKENS) for each in FORMATS]
    with figure(
        "fit-by-format", f"{llama_3_1_8b.name} in three formats on one card", height=3
    ) as sheet:
        axes = sheet.axes()
        for row, plan in enumerate(plans):
            memory, left = inference_memory(plan), 0.0
            for part, (colour, fields) in PARTS.items():
                width = sum(getattr(memory, field) for field in fields) / GIB
                axes.barh(row, width, left=left, height=0.6, color=colour, label=part)
                if part == "weights":
                    axes.text(
                        left + width / 2,
                        row,
                        f"{part}, {width:.1f}",
                        ha="center",
                        va="center",
                        color=ON_COLOUR,
                    )
                left += width
            axes.text(left + 0.15, row, f"{memory.total / GIB:.1f}", va="center")
        axes.axvline(rtx_3060.memory / GIB, color=INK, lw=1.2, ls="--", label="RTX 3060")
        place, edge = (rtx_3060.memory / GIB, 1), axes.get_xaxis_transform()
        label(axes, "RTX 3060", place, (-5, -2), xycoords=edge, ha="right", va="top")
        axes.set_yticks(range(len(FORMATS)), [each.name.replace(", ", ",\n") for each in FORMATS])
        axes.set(
            xlabel=f"GiB on the card, one conversation of {TOKENS:,} tokens",
            xlim=(0, 18.5),
            ylim=(-0.75, len(FORMATS) - 0.5),
        )
        axes.invert_yaxis()
        sheet.legend(axes.containers[: len(PARTS)], len(PARTS))
    return sheet


FIGURES = (fit_by_format,)
