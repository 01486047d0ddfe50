"""How GPUs are divided three ways."""

from scripts.figures.drawing import Axes, Figure, figure
from scripts.figures.palette import COLOURS, INK
from snippets.parallelism import gpus

LAYOUT = {"tensor": 8, "pipeline": 4, "data": 2}


@figure("gpu-layout", "GPUs divided three ways", height=3.8)
def layout(sheet: Figure) -> None:
    """A block per copy, in it a row per pipeline stage: the server whose GPUs split its layers."""
    tensor, pipeline, data = LAYOUT.values()
    pitch, axes = tensor + 1.6, sheet.axes()
    for copy in range(data):
        left = copy * pitch
        middle = left + tensor / 2
        axes.text(middle, -0.45, f"copy {copy + 1}", ha="center")
        for stage in range(pipeline):
            place = {"copy": copy + 1, "stage": stage + 1}
            sheet.rows.append(place | {"GPUs that split its layers": tensor})
            _server(axes, left=left, top=stage * 1.35, colour=COLOURS[copy])
            if stage:
                arrow = {"arrowstyle": "->", "color": INK}
                ends = (middle, stage * 1.35), (middle, stage * 1.35 - 0.35)
                axes.annotate("", *ends, arrowprops=arrow)
    for stage in range(pipeline):
        axes.text(-0.3, stage * 1.35 + 0.5, f"stage {stage + 1}", ha="right", va="center")
    words = (
        f"tensor: {tensor} GPUs of a server split each layer\n"
        f"pipeline: {pipeline} servers share the layers of a copy\n"
        f"data: {data} copies share the batch\n"
        f"{tensor} × {pipeline} × {data} = {gpus(**LAYOUT)} GPUs"
    )
    axes.text(0, pipeline * 1.35 + 0.1, words, va="top", fontsize=11)
    axes.set(xlim=(-2.6, data * pitch - 1.4), ylim=(pipeline * 1.35 + 2.5, -1))
    axes.set_axis_off()


def _server(axes: Axes, *, left: float, top: float, colour: str) -> None:
    """A row of GPUs that are joined by the server's own links."""
    from matplotlib.patches import Rectangle

    width = LAYOUT["tensor"]
    axes.add_patch(Rectangle((left, top), width, 1, facecolor="none", edgecolor=INK, lw=1))
    for gpu in range(width):
        axes.add_patch(Rectangle((left + gpu + 0.1, top + 0.1), 0.8, 0.8, facecolor=colour))
