"""Chapter 2: sixteen bytes per parameter, part by part, and what was recorded beside them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.records.record import Record, fields
from scripts.render.markdown import Table
from scripts.render.style import BLUE, GREEN, INK, ON_COLOUR, ORANGE, PURPLE, SKY, figure
from snippets.training_memory import MIXED_PRECISION, PARTS, zero_bytes_per_parameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARAMETERS = 70e9
COPIES = 64
COLOURS = dict(zip(PARTS, (BLUE, ORANGE, GREEN, SKY, PURPLE), strict=True))

RECIPES = {
    "fp32": ("FP32 throughout", "bytes_per_parameter(FULL_PRECISION)"),
    "mixed": ("mixed precision", "bytes_per_parameter(MIXED_PRECISION)"),
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The table and the figures by path under docs/."""
    return {
        "tables/training-memory.md": _table(records).markdown().encode(),
        **_zero_stages(),
    }


def _table(records: Mapping[str, Record]) -> Table:
    table = Table(
        "training-memory",
        "device",
        "what",
        "predicted",
        "recorded",
        "recorded over predicted",
        records=records,
    )
    for key, record in records.items():
        for recipe, (words, prediction) in RECIPES.items():
            field = f"{key}: {recipe}.bytes_per_parameter"
            if record.experiment == "training-memory" and _has(record, field):
                table.row(
                    f"`{record.device['slug']}`",
                    f"bytes per parameter, {words}",
                    table.number("calc", prediction),
                    table.number("record", field),
                    table.number("calc", f"record('{field}') / {prediction}", decimals=3),
                )
    for key, record in records.items():
        field = f"{key}: measured_over_formula"
        if record.experiment == "activations" and _has(record, field):
            table.row(
                f"`{record.device['slug']}`",
                "bytes of activations per layer, token and unit of width",
                table.number("calc", "bytes_per_hidden()"),
                table.number("calc", f"record('{field}') * bytes_per_hidden()", decimals=1),
                table.number("record", field),
            )
    return table


MEASURED = (_table,)


def _has(record: Record, place: str) -> bool:
    return place.partition(": ")[2] in set(fields(record.results))


def _zero_stages() -> dict[str, bytes]:
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
    return sheet.files


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
    axes.annotate(
        f"{total:,.1f}",
        (total, stage),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=INK,
    )
