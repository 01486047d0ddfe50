"""Kernels in NumPy whose loads from and stores to memory are counted, one element at a time.

The chapter "Inside a GPU" shows them and holds the counts against `snippets/tiles.py`. What they hold
between a load and a store stands for registers and shared memory.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class CountedMemory:
    """A GPU's memory: what is loaded from it and stored into it is counted in elements.

    >>> memory = CountedMemory()
    >>> float(memory.load(np.arange(10.0)[2:5]).sum()), memory.loaded, memory.stored
    (9.0, 3, 0)
    """

    def __init__(self) -> None:
        self.loaded = self.stored = 0

    def load(self, part: Array) -> Array:
        """A copy of a part of an array, counted."""
        self.loaded += part.size
        return part.astype(np.float64)

    def store(self, part: Array, values: Array) -> None:
        """Write values into a part of an array, counted."""
        self.stored += part.size
        part[...] = values


def tiled_matmul(first: Array, second: Array, memory: CountedMemory, *, tile: int) -> Array:
    """The product of two matrices, one `tile` × `tile` part of the output after the other.

    >>> tiled_matmul(np.eye(3), np.arange(9.0).reshape(3, 3), CountedMemory(), tile=2)[2].tolist()
    [6.0, 7.0, 8.0]
    """
    rows, inner = first.shape
    columns = second.shape[1]
    product = np.zeros((rows, columns))
    for top in range(0, rows, tile):
        for left in range(0, columns, tile):
            output = product[top : top + tile, left : left + tile]
            total = np.zeros(output.shape)
            for start in range(0, inner, tile):
                across = memory.load(first[top : top + tile, start : start + tile])
                down = memory.load(second[start : start + tile, left : left + tile])
                total += across @ down
            memory.store(output, total)
    return product


def softmax(row: Array, memory: CountedMemory, *, block: int, online: bool) -> Array:
    """The softmax of a row, `block` elements at a time, in three passes or, online, in two.

    >>> softmax(np.log([1.0, 3.0]), CountedMemory(), block=1, online=True).tolist()
    [0.25, 0.75]
    """
    starts = range(0, row.size, block)
    largest, total = -np.inf, 0.0
    if not online:
        for start in starts:
            largest = max(largest, memory.load(row[start : start + block]).max())
    for start in starts:
        part = memory.load(row[start : start + block])
        seen = max(largest, part.max())
        total = total * np.exp(largest - seen) + np.exp(part - seen).sum()
        largest = seen
    result = np.zeros(row.size)
    for start in starts:
        part = memory.load(row[start : start + block])
        memory.store(result[start : start + block], np.exp(part - largest) / total)
    return result


def attention(queries: Array, keys: Array, values: Array, memory: CountedMemory) -> Array:
    """One head's attention as three kernels, with scores and their softmax in memory between them.

    >>> ones = np.ones((2, 4))
    >>> attention(ones, ones, np.eye(2, 4), CountedMemory())[0].tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    tokens, width = queries.shape
    scores, weights = np.zeros((tokens, tokens)), np.zeros((tokens, tokens))
    result = np.zeros((tokens, width))
    memory.store(scores, memory.load(queries) @ memory.load(keys).T / np.sqrt(width))
    powers = np.exp((held := memory.load(scores)) - held.max(axis=1, keepdims=True))
    memory.store(weights, powers / powers.sum(axis=1, keepdims=True))
    memory.store(result, memory.load(weights) @ memory.load(values))
    return result


def tiled_attention(
    queries: Array, keys: Array, values: Array, memory: CountedMemory, *, block: int
) -> Array:
    """One head's attention as one kernel: the softmax is corrected as keys and values arrive.

    >>> ones = np.ones((2, 4))
    >>> tiled_attention(ones, ones, np.eye(2, 4), CountedMemory(), block=1)[0].tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    tokens, width = queries.shape
    result = np.zeros((tokens, width))
    for top in range(0, tokens, block):
        asked = memory.load(queries[top : top + block])
        largest = np.full((len(asked), 1), -np.inf)
        total, summed = np.zeros((len(asked), 1)), np.zeros((len(asked), width))
        for start in range(0, tokens, block):
            scores = asked @ memory.load(keys[start : start + block]).T / np.sqrt(width)
            seen = np.maximum(largest, scores.max(axis=1, keepdims=True))
            powers, kept = np.exp(scores - seen), np.exp(largest - seen)
            total = total * kept + powers.sum(axis=1, keepdims=True)
            summed = summed * kept + powers @ memory.load(values[start : start + block])
            largest = seen
        memory.store(result[top : top + block], summed / total)
    return result


def int4_matvec(
    packed: Array, scales: Array, vector: Array, memory: CountedMemory, *, group: int
) -> Array:
    """A matrix of four-bit weights times a vector: two weights a byte, a scale for `group` of a row.

    `packed` holds weight 2i of a row in the low four bits of byte i, plus eight. Counts bytes: one for
    two weights, two for a scale, two for an element of the vectors.

    >>> packed = np.array([[0x9A]], dtype=np.uint8)  # the weights 2 and 1
    >>> int4_matvec(packed, np.array([[0.5]]), np.array([1.0, 4.0]), CountedMemory(), group=2).tolist()
    [3.0]
    """
    result = np.zeros(len(packed))
    memory.loaded += 2 * vector.size
    for row, (both, factors) in enumerate(zip(packed, scales, strict=True)):
        memory.loaded += both.size + 2 * factors.size
        levels = np.stack([both & 15, both >> 4], axis=1).reshape(-1).astype(np.float64) - 8
        result[row] = (levels * np.repeat(factors, group)) @ vector
    memory.stored += 2 * result.size
    return result
