"""One step of a pipeline under a schedule: when each stage works and waits, and what it keeps meanwhile."""

from scripts.played.sheet import Control, Picture, box, text
from snippets.pipeline_schedule import (
    Task,
    gpipe,
    idle_fraction,
    one_forward_one_backward,
    peak_in_flight,
    play,
    zero_bubble,
)

STAGES = [2, 4, 8]
MICRO_BATCHES = [1, 2, 4, 8, 16, 32]
SCHEDULES = ["GPipe", "1F1B", "Interleaved", "Zero-bubble"]
SLICES = 2  # of layers on each card of the interleaved schedule
CONTROLS = [
    Control("schedule", "Schedule", SCHEDULES, SCHEDULES.index("1F1B")),
    Control("stages", "Stages", [f"{stages}" for stages in STAGES], STAGES.index(4)),
    Control("micro", "Micro-batches", [f"{n}" for n in MICRO_BATCHES], MICRO_BATCHES.index(8)),
]
LEFT = 22  # pixels around the rows
RIGHT = 42
TOP = 26
TONES = {
    "forward": "blue",
    "backward": "orange",
    "backward_input": "orange",
    "backward_weight": "green",
}


def orders_of(schedule: str, stages: int, micro_batches: int) -> list[list[Task]]:
    """Each stage's tasks in order. Raises ValueError where a schedule has none for these counts."""
    if schedule == "GPipe":
        return gpipe(stages, micro_batches)
    if schedule == "Zero-bubble":
        return zero_bubble(stages, micro_batches)
    return one_forward_one_backward(
        stages, micro_batches, SLICES if schedule == "Interleaved" else 1
    )


def draw(width: float, height: float, at: list[int]) -> Picture:
    """A row for each stage with a box for each task, on the time that 1F1B takes; what is kept beside."""
    schedule, stages, micro_batches = SCHEDULES[at[0]], STAGES[at[1]], MICRO_BATCHES[at[2]]
    slices = SLICES if schedule == "Interleaved" else 1
    if slices > 1 and micro_batches % stages > 0:
        return Picture(
            "",
            f"The interleaved schedule takes micro-batches {stages} at a time on {stages} stages: "
            f"there is none for {micro_batches}.",
        )
    orders = orders_of(schedule, stages, micro_batches)
    played = play(orders, 1 / slices, 1 / slices, 1 / slices)
    wide = (width - LEFT - RIGHT) / (3 * (stages + micro_batches - 1))  # of a unit of time
    tall = (height - TOP) / stages
    marks = [
        text(LEFT, 14, "forward", "blue", "start"),
        text(LEFT + 66, 14, "backward", "orange", "start"),
        text(width, 14, "keeps", "quiet", "end"),
    ]
    if schedule == "Zero-bubble":
        marks.append(text(LEFT + 144, 14, "its weights’ half", "green", "start"))
    for timed in played:
        x, y = LEFT + timed.start * wide, TOP + timed.rank * tall
        across = (timed.end - timed.start) * wide
        later = timed.task.stage >= stages  # of an interleaved card's second slice
        marks.append(
            box(
                x,
                y + 2,
                across * 0.96,
                tall - 4,
                f"{TONES[timed.task.kind]}{' pale' if later else ''}",
            )
        )
        if across > 17:
            number = f"{timed.task.micro_batch + 1}"
            marks.append(text(x + across / 2, y + tall / 2 + 4, number, "" if later else "inside"))
    kept = [peak_in_flight(order) / slices for order in orders]
    for stage in range(stages):
        middle = TOP + (stage + 0.5) * tall + 4
        marks.append(text(0, middle, f"{stage + 1}", "", "start"))
        marks.append(text(width, middle, f"{kept[stage]:g}", "", "end"))
    return Picture(
        "".join(marks),
        f"{schedule}, {stages} stages, {micro_batches} micro-batches: {idle_fraction(played):.1%} idle. "
        f"The first stage keeps the activations of {kept[0]:g} at once, the last those of {kept[-1]:g}.",
    )
