"""Pipeline schedules as charts: simulated beside measured, and the bubble by micro-batches."""

from scripts.experiments.parallelism_pipeline.schedules import CHUNKS, SCHEDULES
from scripts.figures.drawing import Axes, Figure, Look, figure
from scripts.figures.palette import BLUE, GREEN, INK, ON_COLOUR, ORANGE, VERMILLION
from scripts.records.record import Record, lookup
from snippets.parallelism import pipeline_bubble
from snippets.pipeline_schedule import Task, TimedTask, idle_fraction, play

RANKS, MICRO_BATCHES = 4, 8
CASE = f"micro_batches_{MICRO_BATCHES}"
COLOURS = {
    "forward": BLUE,
    "backward": ORANGE,
    "backward_input": ORANGE,
    "backward_weight": GREEN,
}
LEGEND = {
    "forward": "forward",
    "backward_input": "backward, or its inputs' half",
    "backward_weight": "its weights' half",
}
TITLE = "Pipeline schedules, simulated and measured"


def _has_four(record: Record) -> bool:
    return f"ranks_{RANKS}" in record.results


@figure("pipeline-timelines-{device}", TITLE, where=_has_four, width=8, height=8.4)
def timelines(sheet: Figure, record: Record) -> None:
    """One row per schedule; what is simulated left, what torch ran right, on the same scale."""
    from matplotlib.patches import Patch

    forward = lookup(record, f"ranks_{RANKS}.gpipe.{CASE}.task_seconds.forward")
    charts: list[tuple[str, str, list[TimedTask]]] = []
    for name, (title, orders) in SCHEDULES.items():
        lasts = forward / CHUNKS.get(name, 1)
        simulated = play(orders(RANKS, MICRO_BATCHES), lasts, lasts, lasts)
        ranks = record.results[f"ranks_{RANKS}"][name][CASE]["timeline"]
        measured = [
            TimedTask(rank, Task(*task[:3]), task[3], task[4])
            for rank, tasks in enumerate(ranks)
            for task in tasks
        ]
        charts += [(title, "simulated", simulated), (title, "measured", measured)]
    longest = max(timed.end for *_, played in charts for timed in played)
    for index, (title, how, played) in enumerate(charts):
        axes = sheet.axes(len(SCHEDULES), 2, index + 1)
        _chart(axes, played, longest)
        sheet.rows += [
            {
                "schedule": title,
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
        end = "\n" if sheet.narrow else " "
        axes.set_title(f"{title}, {how}:{end}{idle_fraction(played):.0%} idle", fontsize=12)
        if index >= len(charts) - 2:
            axes.set_xlabel("seconds")
        if how == "simulated":
            axes.set_ylabel("rank")
    sheet.legend(
        [Patch(color=COLOURS[k], label=name) for k, name in LEGEND.items()],
        1 if sheet.narrow else 3,
    )


def _chart(axes: Axes, played: list[TimedTask], longest: float) -> None:
    for rank in range(RANKS):
        for kind, colour in COLOURS.items():
            for later in (False, True):  # whether of an interleaved rank's second chunk
                own = (rank, kind, later)
                boxes = [
                    (timed.start, timed.end - timed.start)
                    for timed in played
                    if (timed.rank, timed.task.kind, timed.task.stage >= RANKS) == own
                ]
                look: Look = {"facecolor": colour, "alpha": 0.75 if later else 1, "linewidth": 0.4}
                axes.broken_barh(boxes, (rank - 0.43, 0.86), edgecolor=ON_COLOUR, **look)
    axes.set(xlim=(0, 1.02 * longest), ylim=(RANKS - 0.5, -0.5), yticks=range(RANKS))
    axes.tick_params(labelsize=10)


@figure(
    "pipeline-bubbles-{device}",
    "Idle share of a pipeline by micro-batches",
    where=_has_four,
    height=3.8,
)
def bubbles(sheet: Figure, record: Record) -> None:
    """Idle share by micro-batches: the formula as a line, what was measured as dots."""
    axes, measured = sheet.axes(), "measured, 1F1B"
    formula = {count: 100 * pipeline_bubble(RANKS, count) for count in range(1, 33)}
    axes.plot([*formula], [*formula.values()], color=BLUE, lw=1.5)
    sheet.rows += [
        {"series": "formula", "micro-batches": count, "idle (%)": idle}
        for count, idle in formula.items()
    ]
    axes.text(20, formula[20] + 4, "formula", color=BLUE)
    cases = record.results[f"ranks_{RANKS}"]["one_forward_one_backward"].values()
    for case in sorted(cases, key=lambda case: int(case["micro_batches"])):
        count, idle = case["micro_batches"], case["idle_fraction"]
        low, middle, high = (
            100 * idle[each] for each in ("lower_quartile", "median", "upper_quartile")
        )
        shares = {"idle (%)": middle, "lower quartile (%)": low, "upper quartile (%)": high}
        sheet.rows.append({"series": measured, "micro-batches": count, **shares})
        apart = [[middle - low], [high - middle]]
        axes.errorbar(count, middle, yerr=apart, fmt="o", color=VERMILLION)
    axes.text(count + 0.8, middle + 2, measured, color=VERMILLION)
    axes.axvline(4 * RANKS, color=INK, lw=0.8, ls="--")
    axes.text(4 * RANKS + 0.4, 68, "four per stage", color=INK)
    axes.set(xlabel=f"micro-batches, on {RANKS} stages", ylabel="idle (%)")
    axes.set(xlim=(0, 32.5), ylim=(0, 80))
