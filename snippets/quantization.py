"""Group quantization: integers, and one scale for each group of weights."""

import math

import numpy as np
from numpy.typing import NDArray

from snippets.arguments import require_count, require_not_negative, require_positive


# --8<-- [start:largest_level]
def largest_level(bits: int) -> int:
    """Largest integer of the symmetric range that b bits hold: 2^(b-1) - 1.

    >>> largest_level(8), largest_level(4), largest_level(3), largest_level(2)
    (127, 7, 3, 1)
    >>> largest_level(1)
    Traceback (most recent call last):
    ValueError: bits must be a whole number from 2 up, not 1
    >>> largest_level(2.5)
    Traceback (most recent call last):
    ValueError: bits must be a whole number from 2 up, not 2.5
    """
    if bits < 2 or bits % 1 != 0:
        raise ValueError(f"bits must be a whole number from 2 up, not {bits}")
    return 2 ** (bits - 1) - 1


# --8<-- [end:largest_level]


# --8<-- [start:marks]
def marks(bits: int) -> int:
    """Marks on the ruler: the integers from -largest_level to largest_level.

    >>> marks(8), marks(4)
    (255, 15)
    """
    return 2 * largest_level(bits) + 1


# --8<-- [end:marks]


# --8<-- [start:group_scales]
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


# --8<-- [end:group_scales]


# --8<-- [start:quantize]
def quantize(
    weights: NDArray[np.floating], scales: NDArray[np.float16], *, bits: int
) -> NDArray[np.int8]:
    """The nearest mark for each weight: clip(round(w / s), -largest_level, largest_level).

    One row per scale; 2 to 8 bits. A group of zeros has scale zero and keeps its zeros.

    >>> weights = np.array([0.5, -3.5, 1.0, 0.1, 0.2, -0.7])
    >>> quantize(weights, group_scales(weights, bits=4, group=3), bits=4)
    array([[ 1, -7,  2],
           [ 1,  2, -7]], dtype=int8)
    >>> quantize(weights, np.array([[0.25], [0.0]], dtype=np.float16), bits=4)
    array([[ 2, -7,  4],
           [ 0,  0,  0]], dtype=int8)
    >>> quantize(np.array([4.0, -31.0]), np.array([[0.25]], dtype=np.float16), bits=8)
    array([[  16, -124]], dtype=int8)
    >>> quantize(weights, np.array([[0.25]], dtype=np.float16), bits=9)
    Traceback (most recent call last):
    ValueError: bits must be from 2 to 8, not 9
    """
    if bits > 8:
        raise ValueError(f"bits must be from 2 to 8, not {bits}")
    rows = weights.reshape(len(scales), weights.size // len(scales))
    steps = np.where(scales > 0, scales, np.inf).astype(weights.dtype)
    level = largest_level(bits)
    return np.clip(np.round(rows / steps), -level, level).astype(np.int8)


# --8<-- [end:quantize]


# --8<-- [start:dequantize]
def dequantize(levels: NDArray[np.int8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """The weights that a product sees: each level times its group's scale.

    >>> levels = np.array([[1, -7], [2, 3]], dtype=np.int8)
    >>> dequantize(levels, np.array([[0.5], [0.25]], dtype=np.float16))
    array([[ 0.5 , -3.5 ],
           [ 0.5 ,  0.75]], dtype=float32)
    """
    return levels.astype(np.float32) * scales.astype(np.float32)


# --8<-- [end:dequantize]


# --8<-- [start:relative_error]
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


# --8<-- [end:relative_error]


# --8<-- [start:share_at_zero]
def share_at_zero(levels: NDArray[np.integer]) -> float:
    """Share of the levels that are zero.

    >>> share_at_zero(np.array([[0, 1, -1], [2, 0, 0], [1, 5, 7]]))
    0.3333333333333333
    """
    return float(np.mean(levels == 0))


# --8<-- [end:share_at_zero]


# --8<-- [start:normal_share_at_zero]
def normal_share_at_zero(largest_deviation: float, bits: int) -> float:
    """Share of normally distributed weights that land on zero under one scale.

    `largest_deviation` is the largest weight's magnitude in standard deviations: it sets the
    scale, and all within half a step of zero become zero.

    >>> round(normal_share_at_zero(3, 4), 3)
    0.17
    >>> normal_share_at_zero(0, 4)
    Traceback (most recent call last):
    ValueError: largest_deviation must be a positive number, not 0
    """
    require_positive(largest_deviation=largest_deviation)
    half_step = largest_deviation / largest_level(bits) / 2
    return math.erf(half_step / math.sqrt(2))


# --8<-- [end:normal_share_at_zero]


# --8<-- [start:bits_per_weight]
def bits_per_weight(
    bits: float, group: int, *, scale_bits: float = 16, zero_bits: float = 0
) -> float:
    """Bits that a weight takes with its share of its group's scale (and zero point).

    >>> bits_per_weight(4, 32), bits_per_weight(3, 8, scale_bits=10, zero_bits=6)
    (4.5, 5.0)
    >>> bits_per_weight(0, 32)
    Traceback (most recent call last):
    ValueError: bits must be a positive number, not 0
    >>> bits_per_weight(4, 0)
    Traceback (most recent call last):
    ValueError: group must be a whole number from 1 up, not 0
    >>> bits_per_weight(4, 32, zero_bits=-1)
    Traceback (most recent call last):
    ValueError: zero_bits must be zero or a positive number, not -1
    """
    require_positive(bits=bits)
    require_count(group=group)
    require_not_negative(scale_bits=scale_bits, zero_bits=zero_bits)
    return bits + (scale_bits + zero_bits) / group


# --8<-- [end:bits_per_weight]


# --8<-- [start:quantized_bytes]
def quantized_bytes(parameters: float, bits_each: float) -> float:
    """Bytes that a model takes at so many bits per weight, scales included in them.

    >>> quantized_bytes(7, 4.5)
    3.9375
    >>> quantized_bytes(0, 4.5)
    Traceback (most recent call last):
    ValueError: parameters must be a positive number, not 0
    """
    require_positive(parameters=parameters, bits_each=bits_each)
    return parameters * bits_each / 8


# --8<-- [end:quantized_bytes]
