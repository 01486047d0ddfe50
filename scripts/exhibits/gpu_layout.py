"""How GPUs are divided three ways."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scripts.figures.drawing import COLOURS, INK, Figure, figure
from scripts.records.record import Record
from snippets.parallelism import gpus

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYOUT = {"tensor": 8, "pipeline": 4, "data": 2}


def layout(records: Sequence[Record]) -> Figure:
    """A block per copy, in it a row per pipeline stage: the server whose GPUs split its layers."""
    tensor, pipeline, data = LAYOUT["tensor"], LAYOUT["pipeline"], LAYOUT["data"]
    pitch = tensor + 1.6
    with figure("gpu-layout", "GPUs divided three ways", height=3.8) as sheet:
        axes = sheet.axes()
        for copy in range(data):
            left = copy * pitch
            axes.text(left + tensor / 2, -0.45, f"copy {copy + 1}", ha="center")
            for stage in range(pipeline):
                place = {"copy": copy + 1, "stage": stage + 1}
                sheet.rows.append(place | {"GPUs that split its layers": tensor})
                _server(axes, left=left, top=stage * 1.35, colour=COLOURS[copy])
                if stage:
                    axes.annotate(
                        "",
                        (left + tensor / 2, stage * 1.35),
                        (left + tensor / 2, stage * 1.35 - 0.35),
                        arrowprops={"arrowstyle": "->", "color": INK},
                    )
        for stage in range(pipeline):
            axes.text(-0.3, stage * 1.35 + 0.5, f"stage {stage + 1}", ha="right", va="center")
        axes.text(
            0,
            pipeline * 1.35 + 0.1,
            f"tensor: {tensor} GPUs of a server split each layer\n"
            f"pipeline: {pipeline} servers share the layers of a copy\n"
            f"data: {data} copies share the batch\n"
            f"{tensor} × {pipeline} × {data} = {gpus(**LAYOUT)} GPUs",
            va="top",
            fontsize=11,
        )
        axes.set(xlim=(-2.6, data * pitch - 1.4), ylim=(pipeline * 1.35 + 2.5, -1))
        axes.set_axis_off()
    return sheet


def _server(axes: "Axes", *, left: float, top: float, colour: str) -> None:
    """A row of GPUs that are joined by the server's own links."""
    from matplotlib.patches import Rectangle

    width = LAYOUT["tensor"]
    axes.add_patch(Rectangle((left, top), width, 1, facecolor="none", edgecolor=INK, lw=1))
    for gpu in range(width):
        axes.add_patch(Rectangle((left + gpu + 0.1, top + 0.1), 0.8, 0.8, facecolor=colour))


FIGURES = (layout,)
