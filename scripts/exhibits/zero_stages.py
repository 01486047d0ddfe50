"""Sixteen bytes per parameter, part by part, under each stage of ZeRO."""

from scripts.figures.drawing import Figure, Look, figure, label
from scripts.figures.palette import BLUE, GREEN, INK, ON_COLOUR, ORANGE, PURPLE, SKY
from snippets.training_memory import MIXED_PRECISION, PARTS, zero_bytes_per_parameter

PARAMETERS = 70e9
COPIES = 64
COLOURS = dict(zip(PARTS, (BLUE, ORANGE, GREEN, SKY, PURPLE), strict=True))
SPLIT_FROM = {"weights": 3, "gradients": 2}  # all else from stage 1
STAGES = (
    "nothing split",
    "stage 1: optimizer\nstate split",
    "stage 2: gradients\nsplit too",
    "stage 3: weights\nsplit too",
)


@figure("zero-stages", "Training memory per GPU under ZeRO", height=3.8)
def zero_stages(sheet: Figure) -> None:
    """What one of 64 copies holds of a 70B model under each stage of ZeRO."""
    axes = sheet.axes()
    for stage in range(len(STAGES)):
        left = 0.0
        for part, colour in COLOURS.items():
            share = 1 / COPIES if stage >= SPLIT_FROM.get(part, 1) else 1
            width = getattr(MIXED_PRECISION, part) * share * PARAMETERS / 1e9
            axes.barh(stage, width, left=left, color=colour, label=part.replace("_", " "))
            if stage == 0 and not sheet.narrow:
                look: Look = {"ha": "center", "va": "center", "fontsize": 10, "color": ON_COLOUR}
                axes.text(left + width / 2, stage, part.replace("_", "\n"), **look)
            left += width
        total = zero_bytes_per_parameter(stage=stage, copies=COPIES) * PARAMETERS / 1e9
        label(axes, f"{total:,.1f}", (total, stage), (5, 0), va="center", color=INK)
    axes.set_yticks(range(len(STAGES)), STAGES)
    axes.set_xlabel(
        f"GB per GPU, {PARAMETERS / 1e9:.0f}B parameters over {COPIES} GPUs", loc="right"
    )
    axes.invert_yaxis()
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    if sheet.narrow:  # no room for words in the bars
        sheet.legend(axes.containers[: len(COLOURS)], 2)
