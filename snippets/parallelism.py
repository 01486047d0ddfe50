"""Splitting a model over GPUs: how many, what they send each other, and when they wait."""

import math

from snippets.arguments import require_count, require_positive


def gpus(*, tensor: int, pipeline: int, data: int, context: int = 1) -> int:
    """GPUs of a run: the product of its tensor, pipeline, data and context splits.

    >>> gpus(tensor=3, pipeline=5, data=7), gpus(tensor=3, pipeline=5, data=7, context=2)
    (105, 210)
    """
    require_count(tensor=tensor, pipeline=pipeline, data=data, context=context)
    return tensor * pipeline * data * context


def all_reduce_bytes(buffer_bytes: float, ranks: int) -> float:
    """Bytes that each of `ranks` GPUs sends (and receives) to sum a buffer over all of them.

    A ring: n - 1 steps of summing and n - 1 of passing the sums on, each of one n-th of the
    buffer (Patarasuk and Yuan 2009, who show that no algorithm sends less).

    >>> all_reduce_bytes(70, 5), all_reduce_bytes(70, 1)
    (112.0, 0.0)
    """
    require_positive(buffer_bytes=buffer_bytes)
    require_count(ranks=ranks)
    return 2 * (ranks - 1) / ranks * buffer_bytes


def all_reduce_seconds(*, buffer_bytes: float, ranks: int, link_bandwidth: float) -> float:
    """Seconds of an all-reduce over links of `link_bandwidth` bytes/s in each direction.

    Counts the bytes alone: no latency, and both directions in use at once.

    >>> all_reduce_seconds(buffer_bytes=70, ranks=5, link_bandwidth=32)
    3.5
    """
    require_positive(link_bandwidth=link_bandwidth)
    return all_reduce_bytes(buffer_bytes, ranks) / link_bandwidth


def tensor_parallel_bytes(
    *,
    tokens: float,
    sequences: float,
    width: float,
    bytes_per_element: float,
    ranks: int,
) -> float:
    """Bytes that each GPU sends per layer and training step when `ranks` of them split it.

    Four all-reduces of the hidden states: attention and MLP, forward and backward
    (Shoeybi et al. 2019, section 3).

    >>> tensor_parallel_bytes(tokens=3, sequences=5, width=7, bytes_per_element=2, ranks=4)
    1260.0
    """
    require_positive(
        tokens=tokens, sequences=sequences, width=width, bytes_per_element=bytes_per_element
    )
    hidden_bytes = tokens * sequences * width * bytes_per_element
    return 4 * all_reduce_bytes(hidden_bytes, ranks)


def pipeline_bubble(stages: int, micro_batches: int) -> float:
    """Share of time that a pipeline stage idles: (K - 1) / (M + K - 1).

    Huang et al. 2019 (GPipe), section 2.3, with stages that all take equally long.

    >>> pipeline_bubble(3, 7), pipeline_bubble(1, 7)
    (0.2222222222222222, 0.0)
    """
    require_count(stages=stages, micro_batches=micro_batches)
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for_bubble(stages: int, bubble: float) -> int:
    """Fewest micro-batches that keep a pipeline's bubble at or below a share of the time.

    >>> micro_batches_for_bubble(5, 0.3), micro_batches_for_bubble(5, 0.5)
    (10, 4)
    >>> micro_batches_for_bubble(4, 0.2), micro_batches_for_bubble(16, 0.05)
    (12, 285)
    >>> micro_batches_for_bubble(1, 0.3)
    1
    >>> micro_batches_for_bubble(5, 0)
    Traceback (most recent call last):
    ValueError: bubble must be a share between 0 and 1, not 0
    >>> micro_batches_for_bubble(5, 1)
    Traceback (most recent call last):
    ValueError: bubble must be a share between 0 and 1, not 1
    """
    require_count(stages=stages)
    if not 0 < bubble < 1:
        raise ValueError(f"bubble must be a share between 0 and 1, not {bubble}")
    count = max(math.ceil((stages - 1) * (1 - bubble) / bubble), 1)
    # Rounding may have put the quotient just above a whole number that meets the bubble exactly.
    if count > 1 and pipeline_bubble(stages, count - 1) <= bubble * (1 + 1e-12):
        return count - 1
    return count


def fits(*, needed_bytes: float, gpus: int, memory_per_gpu: float) -> bool:
    """Whether bytes fit the memory of some GPUs together, with nothing else in it.

    >>> fits(needed_bytes=21, gpus=3, memory_per_gpu=7)
    True
    >>> fits(needed_bytes=22, gpus=3, memory_per_gpu=7)
    False
    """
    require_positive(needed_bytes=needed_bytes, memory_per_gpu=memory_per_gpu)
    require_count(gpus=gpus)
    return needed_bytes <= gpus * memory_per_gpu


def training_operations(parameters: float, tokens: float) -> float:
    """Operations of training: two per parameter and token forward, four backward.

    Kaplan et al. 2020, section 2.1; attention over the context is left out.

    >>> training_operations(7, 11)
    462
    """
    require_positive(parameters=parameters, tokens=tokens)
    return (2 + 4) * parameters * tokens
