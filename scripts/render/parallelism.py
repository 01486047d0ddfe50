"""Chapter 4: a pipeline's schedule with its bubble, and how GPUs are divided three ways."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.records import Record
from scripts.render.style import BLUE, COLOURS, INK, ON_COLOUR, ORANGE, figure
from snippets.parallelism import gpus, pipeline_bubble, pipeline_schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGES = 4
MICRO_BATCHES = 8
LAYOUT = {"tensor": 8, "pipeline": 4, "data": 2}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The figures by path under docs/. They need no record."""
    return {
        "figures/pipeline-schedule.svg": _schedule(),
        "figures/gpu-layout.svg": _layout(),
    }


def _schedule() -> bytes:
    """One row per stage, one column per time slot; what stays empty is the bubble."""
    from matplotlib.patches import Rectangle

    schedule = pipeline_schedule(STAGES, MICRO_BATCHES)
    with figure("A pipeline's schedule", height=3) as sheet:
        axes = sheet.axes()
        for stage, slots in enumerate(schedule):
            axes.text(-0.3, stage, f"stage {stage + 1}", ha="right", va="center")
            for time, task in enumerate(slots):
                colour = BLUE if task > 0 else ORANGE if task < 0 else "none"
                axes.add_patch(
                    Rectangle(
                        (time + 0.03, stage - 0.42),
                        0.94,
                        0.84,
                        facecolor=colour,
                        edgecolor=INK,
                        lw=0 if task else 0.6,
                        ls=":",
                    )
                )
                if task:
                    axes.text(
                        time + 0.5,
                        stage,
                        str(abs(task)),
                        ha="center",
                        va="center",
                        fontsize=11,
                        color=ON_COLOUR,
                    )
        slots_per_stage = len(schedule[0])
        bubble = pipeline_bubble(STAGES, MICRO_BATCHES)
        axes.text(0, STAGES - 0.1, "forward", color=BLUE)
        axes.text(
            slots_per_stage / 2,
            STAGES - 0.1,
            f"empty: the bubble, {bubble:.0%} of the time",
            ha="center",
        )
        axes.text(slots_per_stage, STAGES - 0.1, "backward", ha="right", color=ORANGE)
        axes.set(xlim=(-2.6, slots_per_stage), ylim=(STAGES + 0.2, -0.6))
        axes.set_axis_off()
    return sheet.svg


def _layout() -> bytes:
    """A block per copy, in it a row per pipeline stage: the server whose GPUs split its layers."""
    tensor, pipeline, data = LAYOUT["tensor"], LAYOUT["pipeline"], LAYOUT["data"]
    pitch = tensor + 1.6
    with figure("GPUs divided three ways", height=3.8) as sheet:
        axes = sheet.axes()
        for copy in range(data):
            left = copy * pitch
            axes.text(left + tensor / 2, -0.45, f"copy {copy + 1}", ha="center")
            for stage in range(pipeline):
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
    return sheet.svg


def _server(axes: "Axes", *, left: float, top: float, colour: str) -> None:
    """A row of GPUs that are joined by the server's own links."""
    from matplotlib.patches import Rectangle

    width = LAYOUT["tensor"]
    axes.add_patch(Rectangle((left, top), width, 1, facecolor="none", edgecolor=INK, lw=1))
    for gpu in range(width):
        axes.add_patch(Rectangle((left + gpu + 0.1, top + 0.1), 0.8, 0.8, facecolor=colour))
