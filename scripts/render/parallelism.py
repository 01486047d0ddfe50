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
    """Servers of tensor-parallel GPUs, in rows of pipeline stages, one row per copy."""
    with figure("GPUs divided three ways", height=3.8) as sheet:
        axes = sheet.axes()
        for copy in range(LAYOUT["data"]):
            for stage in range(LAYOUT["pipeline"]):
                _server(axes, left=stage * 5.4, top=copy * 3.6, colour=COLOURS[copy])
                if stage:
                    axes.annotate(
                        "",
                        (stage * 5.4 - 0.15, copy * 3.6 + 1.1),
                        (stage * 5.4 - 1.05, copy * 3.6 + 1.1),
                        arrowprops={"arrowstyle": "->", "color": INK},
                    )
            axes.text(
                -0.4, copy * 3.6 + 1.1, f"copy {copy + 1}", ha="right", va="center", color=INK
            )
        for stage in range(LAYOUT["pipeline"]):
            axes.text(stage * 5.4 + 2.1, -0.6, f"stage {stage + 1}", ha="center")
        count = gpus(**LAYOUT)
        axes.text(
            0,
            LAYOUT["data"] * 3.6 - 0.5,
            f"{LAYOUT['tensor']} GPUs split each layer within a server (tensor), "
            f"{LAYOUT['pipeline']} servers share the layers (pipeline),\n"
            f"{LAYOUT['data']} copies share the batch (data): "
            f"{LAYOUT['tensor']} × {LAYOUT['pipeline']} × {LAYOUT['data']} = {count} GPUs",
            va="top",
            fontsize=11,
        )
        axes.set(xlim=(-2.6, LAYOUT["pipeline"] * 5.4), ylim=(LAYOUT["data"] * 3.6 + 1, -1.1))
        axes.set_axis_off()
    return sheet.svg


def _server(axes: "Axes", *, left: float, top: float, colour: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((left, top), 4.2, 2.2, facecolor="none", edgecolor=INK, lw=1))
    for gpu in range(LAYOUT["tensor"]):
        column, row = gpu % 4, gpu // 4
        axes.add_patch(
            Rectangle((left + 0.15 + column, top + 0.15 + row), 0.9, 0.9, facecolor=colour)
        )
