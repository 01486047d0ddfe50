"""A model's memory in three formats, beside what a card has."""

from scripts.figures.drawing import Figure, figure, label
from scripts.figures.palette import BLUE, GREEN, INK, ON_COLOUR, ORANGE, PURPLE
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


@figure("fit-by-format", f"{llama_3_1_8b.name} in three formats on one card", height=3)
def fit_by_format(sheet: Figure) -> None:
    """A bar for each format, made of the parts of memory."""
    axes = sheet.axes()
    for row, form in enumerate(FORMATS):
        plan = InferencePlan(model=llama_3_1_8b, weights=form, tokens=TOKENS)
        memory, left = inference_memory(plan), 0.0
        for part, (colour, fields) in PARTS.items():
            width = sum(getattr(memory, field) for field in fields) / GIB
            axes.barh(row, width, left=left, height=0.6, color=colour, label=part)
            if part == "weights":
                middle, words = left + width / 2, f"{width:.1f}"
                if not sheet.narrow:
                    words = f"{part}, {words}"
                axes.text(middle, row, words, ha="center", va="center", color=ON_COLOUR)
            left += width
        axes.text(left + 0.15, row, f"{memory.total / GIB:.1f}", va="center")
    axes.axvline(rtx_3060.memory / GIB, color=INK, lw=1.2, ls="--", label="RTX 3060")
    place, edge = (rtx_3060.memory / GIB, 1), axes.get_xaxis_transform()
    label(axes, "RTX 3060", place, (-5, -2), xycoords=edge, ha="right", va="top")
    axes.set_yticks(range(len(FORMATS)), [each.name.replace(", ", ",\n") for each in FORMATS])
    axes.set_xlabel(f"GiB on the card, one\nconversation of {TOKENS:,} tokens")
    axes.set(xlim=(0, 18.5), ylim=(-0.75, len(FORMATS) - 0.5))
    axes.invert_yaxis()
    sheet.legend(axes.containers[: len(PARTS)], 2 if sheet.narrow else len(PARTS))
