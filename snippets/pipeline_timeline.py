"""A pipeline schedule played out: who works when, how long ranks wait, and what they must keep."""

from dataclasses import dataclass

from snippets.arguments import require_positive
from snippets.pipeline_schedule import Task


@dataclass(frozen=True)
class TimedTask:
    """A task on its rank from `start` to `end`: one box of the chart."""

    rank: int
    task: Task
    start: float
    end: float


def play(
    orders: list[list[Task]],
    forward: float = 1,
    backward_input: float = 1,
    backward_weight: float = 1,
) -> list[TimedTask]:
    """When each task runs, in the unit of the durations, if sending takes no time.

    A forward waits for that of the stage before it, a backward for that of the stage after it.

    >>> from snippets.pipeline_schedule import gpipe, one_forward_one_backward, zero_bubble
    >>> [(block.start, block.end) for block in play(gpipe(2, 1), 3, 5, 7) if block.rank == 0]
    [(0.0, 3.0), (18.0, 30.0)]
    >>> [(block.start, block.end) for block in play(zero_bubble(2, 1), 3, 5, 7) if block.rank == 0]
    [(0.0, 3.0), (11.0, 16.0), (16.0, 23.0)]
    >>> max(block.end for block in play(one_forward_one_backward(2, 2, 2), 3, 5, 7))
    75.0
    >>> play([[Task("backward", 0, 0)], [Task("forward", 1, 0)]])
    Traceback (most recent call last):
    ValueError: the ranks wait for one another: no task that is next can run
    >>> play(gpipe(1, 1), forward=0)
    Traceback (most recent call last):
    ValueError: forward must be a positive number, not 0
    """
    require_positive(
        forward=forward, backward_input=backward_input, backward_weight=backward_weight
    )
    lasts = {
        "forward": forward,
        "backward": backward_input + backward_weight,
        "backward_input": backward_input,
        "backward_weight": backward_weight,
    }
    last_stage = max(task.stage for order in orders for task in order)
    ends: dict[Task, float] = {}
    free = [0.0] * len(orders)
    played: list[TimedTask] = []
    done = [0] * len(orders)
    while sum(done) < sum(len(order) for order in orders):
        before = sum(done)
        for rank, order in enumerate(orders):
            for task in order[done[rank] :]:
                needed = _needed(task, last_stage)
                if needed is not None and needed not in ends:
                    break
                start = max(free[rank], 0 if needed is None else ends[needed])
                free[rank] = start + lasts[task.kind]
                ends[_message(task)] = free[rank]
                played.append(TimedTask(rank, task, start, free[rank]))
                done[rank] += 1
        if sum(done) == before:
            raise ValueError("the ranks wait for one another: no task that is next can run")
    return played


def _needed(task: Task, last_stage: int) -> Task | None:
    """The task of another stage whose result this one works on."""
    if task.kind == "forward" and task.stage > 0:
        return Task("forward", task.stage - 1, task.micro_batch)
    if task.kind in ("backward", "backward_input") and task.stage < last_stage:
        return Task("backward", task.stage + 1, task.micro_batch)
    return None


def _message(task: Task) -> Task:
    """What others know a task by: with the input's gradient, a backward is done for them."""
    kind = "backward" if task.kind == "backward_input" else task.kind
    return Task(kind, task.stage, task.micro_batch)


def idle_fraction(blocks: list[TimedTask]) -> float:
    """The share of all ranks' time, until the last task ends, in which they wait: the bubble.

    >>> from snippets.pipeline_schedule import gpipe, one_forward_one_backward, zero_bubble
    >>> round(idle_fraction(play(gpipe(4, 8))), 6), round(3 / 11, 6)
    (0.272727, 0.272727)
    >>> round(idle_fraction(play(one_forward_one_backward(4, 8), 3, 5, 7)), 6)
    0.272727
    >>> round(idle_fraction(play(one_forward_one_backward(4, 8, 2))), 6), round(3 / 19, 6)
    (0.157895, 0.157895)
    >>> round(idle_fraction(play(zero_bubble(4, 8))), 6), round(3 / 27, 6)
    (0.111111, 0.111111)
    """
    ranks = 1 + max(block.rank for block in blocks)
    working = sum(block.end - block.start for block in blocks)
    return 1 - working / (ranks * max(block.end for block in blocks))


def peak_in_flight(order: list[Task]) -> int:
    """Forwards whose activations a rank must keep at once, in units of one stage and micro-batch.

    They are kept until the weights' gradient is done.

    >>> from snippets.pipeline_schedule import gpipe, one_forward_one_backward, zero_bubble
    >>> [peak_in_flight(order) for order in gpipe(3, 7)]
    [7, 7, 7]
    >>> [peak_in_flight(order) for order in one_forward_one_backward(3, 7)]
    [3, 2, 1]
    >>> [peak_in_flight(order) for order in one_forward_one_backward(3, 9, 2)]
    [8, 6, 4]
    >>> [peak_in_flight(order) for order in zero_bubble(3, 7)]
    [3, 3, 3]
    >>> kinds = ["forward", "backward", "forward", "forward"]
    >>> peak_in_flight([Task(kind, 0, 0) for kind in kinds])
    2
    """
    kept, each = 0, []
    for task in order:
        if task.kind == "forward":
            kept = kept + 1
        elif task.kind != "backward_input":
            kept = kept - 1
        each.append(kept)
    return max(each)
