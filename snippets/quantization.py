"""Group quantization: integers, and one scale for each group of weights."""

import numpy as np
from numpy.typing import NDArray

from snippets.arguments import require_count
from snippets.quantized_size import largest_level


def group_scales(weights: NDArray[np.floating], *, bits: int, group: int) -> NDArray[np.float16]:
    """One FP16 scale per `group` weights in a row: their largest magnitude over the largest level.

    The count of weights must be a multiple of `group`. Shape: (weights / group, 1).

    >>> weights = np.array([0.5, -3.5, 1.0, 0.1, 0.2, -0.7])
    >>> group_scales(weights, bits=4, group=3)
    array([[0.5],
           [0.1]], dtype=float16)
    >>> group_scales(weights, bits=4, group=4)
    Traceback (most recent call last):
    ValueError: 6 weights do not divide into groups of 4
    >>> group_scales(weights, bits=4, group=0)
    Traceback (most recent call last):
    ValueError: group must be a whole number from 1 up, not 0
    """
    require_count(group=group)
    if weights.size % group != 0:
        raise ValueError(f"{weights.size} weights do not divide into groups of {group}")
    groups = weights.reshape(weights.size // group, group)
    largest = np.abs(groups).max(axis=1, keepdims=True)
    return (largest / largest_level(bits)).astype(np.float16)


def quantize(
    weights: NDArray[np.floating], scales: NDArray[np.float16], *, bits: int
) -> NDArray[np.int8]:
    """The nearest level for each weight: clip(round(w / s), -largest_level, largest_level).

    One row per scale; 2 to 8 bits. A group of zeros has scale zero and keeps its zeros. The quotient
    is taken in FP64: in FP16 it rounds before `round` does, and 47.49 becomes 47.5, then 48.

    >>> weights = np.array([0.5, -3.5, 1.0, 0.1, 0.2, -0.7])
    >>> quantize(weights, group_scales(weights, bits=4, group=3), bits=4)
    array([[ 1, -7,  2],
           [ 1,  2, -7]], dtype=int8)
    >>> quantize(weights, np.array([[0.25], [0.0]], dtype=np.float16), bits=4)
    array([[ 2, -7,  4],
           [ 0,  0,  0]], dtype=int8)
    >>> quantize(np.array([4.0, -31.0]), np.array([[0.25]], dtype=np.float16), bits=8)
    array([[  16, -124]], dtype=int8)
    >>> quantize(np.float16([0.676]), np.float16([[0.01423]]), bits=8)
    array([[47]], dtype=int8)
    >>> quantize(weights, np.array([[0.25]], dtype=np.float16), bits=9)
    Traceback (most recent call last):
    ValueError: bits must be from 2 to 8, not 9
    """
    if bits > 8:
        raise ValueError(f"bits must be from 2 to 8, not {bits}")
    rows = weights.reshape(len(scales), weights.size // len(scales))
    steps = np.where(scales > 0, scales.astype(np.float64), np.inf)
    level = largest_level(bits)
    return np.clip(np.round(rows / steps), -level, level).astype(np.int8)


def dequantize(levels: NDArray[np.int8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """The weights that a product sees: each level times its group's scale.

    >>> levels = np.array([[1, -7], [2, 3]], dtype=np.int8)
    >>> dequantize(levels, np.array([[0.5], [0.25]], dtype=np.float16))
    array([[ 0.5 , -3.5 ],
           [ 0.5 ,  0.75]], dtype=float32)
    """
    return levels.astype(np.float32) * scales.astype(np.float32)


def relative_error(weights: NDArray[np.floating], restored: NDArray[np.floating]) -> float:
    """Length of the difference over the length of the weights: ||w - qs|| / ||w||.

    >>> relative_error(np.array([3.0, 4.0]), np.array([[3.0, 3.5]]))
    0.1
    >>> relative_error(np.array([0.0, 0.0]), np.array([0.0, 0.0]))
    Traceback (most recent call last):
    ValueError: the weights are all zero: their relative error has no meaning
    """
    length = float(np.linalg.norm(weights))
    if length == 0:
        raise ValueError("the weights are all zero: their relative error has no meaning")
    return float(np.linalg.norm(weights.ravel() - restored.ravel())) / length


def share_at_zero(levels: NDArray[np.integer]) -> float:
    """Share of the levels that are zero.

    >>> share_at_zero(np.array([[0, 1, -1], [2, 0, 0], [1, 5, 7]]))
    0.3333333333333333
    """
    return float(np.mean(levels == 0))
