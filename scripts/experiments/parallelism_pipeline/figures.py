"""Pipeline schedules as charts: simulated beside measured, and the bubble by micro-batches."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scripts.experiments.parallelism_pipeline.schedules import CHUNKS, SCHEDULES
from scripts.figures.drawing import BLUE, GREEN, INK, ON_COLOUR, ORANGE, VERMILLION, Figure, figure
from scripts.records.record import Record, lookup
from snippets.parallelism import pipeline_bubble
from snippets.pipeline_schedule import Task, TimedTask, idle_fraction, play

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANKS, MICRO_BATCHES = 4, 8
COLOURS = {
    "forward": BLUE,
    "backward": ORANGE,
    "backward_input": ORANGE,
    "backward_weight": GREEN,
}


def timelines(records: Sequence[Record]) -> Figure:
    """One row per schedule; what is simulated left, what torch ran right, on the same scale."""
    record = records[0]
    forward = lookup(
        record, f"ranks_{RANKS}.gpipe.micro_batches_{MICRO_BATCHES}.task_seconds.forward"
    )
    with figure(
        "pipeline-timelines", "Pipeline schedules, simulated and measured", width=8, height=8.4
    ) as sheet:
        pairs = []
        for name, (label, orders) in SCHEDULES.items():
            lasts = forward / CHUNKS.get(name, 1)
            simulated = play(orders(RANKS, MICRO_BATCHES), lasts, lasts, lasts)
            found = record.results[f"ranks_{RANKS}"][name][f"micro_batches_{MICRO_BATCHES}"]
            measured = [
                TimedTask(rank, Task(*task[:3]), task[3], task[4])
                for rank, tasks in enumerate(found["timeline"])
                for task in tasks
            ]
            pairs.append((label, simulated, measured))
        longest = max(t.end for _, *charts in pairs for chart in charts for t in chart)
        for row, (label, *charts) in enumerate(pairs):
            for column, (played, how) in enumerate(
                zip(charts, ("simulated", "measured"), strict=True)
            ):
                axes = sheet.axes(len(pairs), 2, 2 * row + column + 1)
                _chart(axes, played, longest)
                sheet.rows += [
                    {
                        "schedule": label,
                        "how": how,
                        "rank": timed.rank,
                        "task": timed.task.kind.replace("_", " "),
                        "stage": timed.task.stage,
                        "micro-batch": timed.task.micro_batch,
                        "start, seconds": timed.start,
                        "end, seconds": timed.end,
                    }
                    for timed in played
                ]
                axes.set_title(f"{label}, {how}: {idle_fraction(played):.0%} idle", fontsize=12)
                if row == len(pairs) - 1:
                    axes.set_xlabel("seconds")
                if column == 0:
                    axes.set_ylabel("rank")
        _legend(sheet)
    return sheet


def _legend(sheet: Figure) -> None:
    from matplotlib.patches import Patch

    names = {
        "forward": "forward",
        "backward_input": "backward, or its inputs' half",
        "backward_weight": "its weights' half",
    }
    sheet.legend([Patch(color=COLOURS[k], label=name) for k, name in names.items()], len(names))


def _chart(axes: "Axes", played: list[TimedTask], longest: float) -> None:
    for rank in range(RANKS):
        for kind, colour in COLOURS.items():
            for later in (False, True):  # whether of an interleaved rank's second chunk
                boxes = [
                    (timed.start, timed.end - timed.start)
                    for timed in played
                    if (timed.rank, timed.task.kind, timed.task.stage >= RANKS)
                    == (rank, kind, later)
                ]
                axes.broken_barh(
                    boxes,
                    (rank - 0.43, 0.86),
                    facecolor=colour,
                    alpha=0.6 if later else 1,
                    edgecolor=ON_COLOUR,
                    linewidth=0.4,
                )
    axes.set(xlim=(0, 1.02 * longest), ylim=(RANKS - 0.5, -0.5), yticks=range(RANKS))
    axes.tick_params(labelsize=10)


def bubbles(records: Sequence[Record]) -> Figure:
    """Idle share by micro-batches: the formula as a line, what was measured as dots."""
    cases = _cases(records[0])
    with figure(
        "pipeline-bubbles", "Idle share of a pipeline by micro-batches", height=3.8
    ) as sheet:
        axes = sheet.axes()
        formula = {count: 100 * pipeline_bubble(RANKS, count) for count in range(1, 33)}
        axes.plot(list(formula), list(formula.values()), color=BLUE, lw=1.5)
        sheet.rows += [
            {"series": "formula", "micro-batches": count, "idle (%)": idle}
            for count, idle in formula.items()
        ]
        axes.text(20, 100 * pipeline_bubble(RANKS, 20) + 4, "formula", color=BLUE)
        for case in cases:
            idle = case["idle_fraction"]
            low, high = idle["lower_quartile"], idle["upper_quartile"]
            sheet.rows.append(
                {
                    "series": "measured, 1F1B",
                    "micro-batches": case["micro_batches"],
                    "idle (%)": 100 * idle["median"],
                    "lower quartile (%)": 100 * low,
                    "upper quartile (%)": 100 * high,
                }
            )
            axes.errorbar(
                case["micro_batches"],
                100 * idle["median"],
                yerr=[[100 * (idle["median"] - low)], [100 * (high - idle["median"])]],
                fmt="o",
                color=VERMILLION,
            )
        last = cases[-1]
        axes.text(
            last["micro_batches"] + 0.8,
            100 * last["idle_fraction"]["median"] + 2,
            "measured, 1F1B",
            color=VERMILLION,
        )
        axes.axvline(4 * RANKS, color=INK, lw=0.8, ls="--")
        axes.text(4 * RANKS + 0.4, 68, "four per stage", color=INK)
        axes.set(
            xlabel=f"micro-batches, on {RANKS} stages",
            ylabel="idle (%)",
            xlim=(0, 32.5),
            ylim=(0, 80),
        )
    return sheet


def _cases(record: Record) -> list[dict[str, Any]]:
    found = record.results[f"ranks_{RANKS}"]["one_forward_one_backward"]
    return sorted(found.values(), key=lambda case: int(case["micro_batches"]))


FIGURES = (timelines, bubbles)
