"""What quantization costs and keeps, in numbers: levels, bits per weight with their scales, bytes.

Arrays are in `quantization.py`.
"""

import math

from snippets.arguments import require_count, require_not_negative, require_positive


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


def quantization_levels(bits: int) -> int:
    """Quantization levels of symmetric rounding: the integers from -largest_level to largest_level.

    >>> quantization_levels(8), quantization_levels(4)
    (255, 15)
    """
    return 2 * largest_level(bits) + 1


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
