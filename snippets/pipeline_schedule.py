"""Pipeline schedules: each rank's tasks in order; played out, when it waits and what it keeps."""

from dataclasses import dataclass

from snippets.arguments import require_count, require_positive


@dataclass(frozen=True)
class Task:
    """`kind`: forward; backward, or its halves backward_input and backward_weight."""

    kind: str
    stage: int
    micro_batch: int


def gpipe(ranks: int, micro_batches: int) -> list[list[Task]]:
    """Each rank's tasks in order: all forward, then all backward. Huang et al. 2019, figure 2.

    >>> [" ".join(f"{t.kind[0]}{t.stage}.{t.micro_batch}" for t in tasks) for tasks in gpipe(2, 3)]
    ['f0.0 f0.1 f0.2 b0.0 b0.1 b0.2', 'f1.0 f1.1 f1.2 b1.0 b1.1 b1.2']
    """
    require_count(ranks=ranks, micro_batches=micro_batches)
    return [
        [Task(kind, rank, i) for kind in ("forward", "backward") for i in range(micro_batches)]
        for rank in range(ranks)
    ]


def one_forward_one_backward(ranks: int, micro_batches: int, chunks: int = 1) -> list[list[Task]]:
    """1F1B: forwards until the first gradient can be back, then one backward after each forward.

    With `chunks` above 1 it is interleaved: rank r has the stages r, r + ranks, r + 2 ranks, ...
    and works on `ranks` micro-batches in one before it turns to the next. Narayanan et al. 2021,
    figure 4.

    >>> order = lambda tasks: " ".join(f"{t.kind[0]}{t.stage}.{t.micro_batch}" for t in tasks)
    >>> [order(tasks) for tasks in one_forward_one_backward(2, 3)]
    ['f0.0 f0.1 b0.0 f0.2 b0.1 b0.2', 'f1.0 b1.0 f1.1 b1.1 f1.2 b1.2']
    >>> order(one_forward_one_backward(3, 6, 2)[1][:14])
    'f1.0 f1.1 f1.2 f4.0 f4.1 f4.2 b4.0 f1.3 b4.1 f1.4 b4.2 f1.5 b1.0 f4.3'
    >>> order(one_forward_one_backward(2, 2, 2)[0])
    'f0.0 f0.1 f2.0 f2.1 b2.0 b2.1 b0.0 b0.1'
    >>> one_forward_one_backward(2, 5, 2)
    Traceback (most recent call last):
    ValueError: micro_batches must be a multiple of the 2 ranks when interleaved, not 5
    """
    require_count(ranks=ranks, micro_batches=micro_batches, chunks=chunks)
    if chunks > 1 and micro_batches % ranks > 0:
        raise ValueError(
            f"micro_batches must be a multiple of the {ranks} ranks when interleaved, "
            f"not {micro_batches}"
        )
    places = [
        (i // ranks % chunks, i // (ranks * chunks) * ranks + i % ranks)
        for i in range(chunks * micro_batches)
    ]
    orders = []
    for rank in range(ranks):
        to_the_end = ranks - 1 - rank
        ahead = to_the_end if chunks == 1 else (chunks - 1) * ranks + 2 * to_the_end
        forward = [Task("forward", rank + chunk * ranks, i) for chunk, i in places]
        backward = [Task("backward", rank + (chunks - 1 - chunk) * ranks, i) for chunk, i in places]
        order = forward[:ahead]
        for i in range(len(backward)):
            order = order + forward[ahead + i : ahead + i + 1] + [backward[i]]
        orders.append(order)
    return orders


def zero_bubble(ranks: int, micro_batches: int) -> list[list[Task]]:
    """1F1B whose weight gradients, which no other rank waits for, fill the gaps at the end.

    Schedule ZB-H1 of Qi et al. 2024, section 2: rank r is r weight gradients behind.

    >>> [" ".join(f"{t.kind[0]}{t.kind[9:10]}{t.micro_batch}" for t in tasks)
    ...  for tasks in zero_bubble(2, 3)]
    ['f0 f1 bi0 bw0 f2 bi1 bw1 bi2 bw2', 'f0 bi0 f1 bi1 bw0 f2 bi2 bw1 bw2']
    >>> zero_bubble(2, 1)[1][2]
    Task(kind='backward_weight', stage=1, micro_batch=0)
    """
    orders = []
    for rank, tasks in enumerate(one_forward_one_backward(ranks, micro_batches)):
        order = []
        for task in tasks:
            if task.kind == "forward":
                order.append(task)
                continue
            order.append(Task("backward_input", rank, task.micro_batch))
            if task.micro_batch >= rank:
                order.append(Task("backward_weight", rank, task.micro_batch - rank))
        done = max(0, micro_batches - rank)
        orders.append(
            order + [Task("backward_weight", rank, i) for i in range(done, micro_batches)]
        )
    return orders


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
