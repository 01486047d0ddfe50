"""Pipeline schedules: in what order each rank works through stages and micro-batches."""

from dataclasses import dataclass

from snippets.arguments import require_count


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
