"""Bytes per parameter, and what a floating-point format keeps of a number."""

import math

from snippets.arguments import require_count, require_positive
from snippets.formats import FloatFormat


def weight_bytes(parameters: float, bytes_per_parameter: float) -> float:
    """Bytes that the weights of a model take.

    >>> weight_bytes(7e9, 2)
    14000000000.0
    >>> weight_bytes(7e9, 0)
    Traceback (most recent call last):
    ValueError: bytes_per_parameter must be a positive number, not 0
    """
    require_positive(parameters=parameters, bytes_per_parameter=bytes_per_parameter)
    return parameters * bytes_per_parameter


def decimal_digits(mantissa_bits: int) -> float:
    """Decimal digits that a mantissa carries, with the leading one that is not stored.

    >>> round(decimal_digits(10), 3)
    3.311
    >>> decimal_digits(2.5)
    Traceback (most recent call last):
    ValueError: mantissa_bits must be a whole number from 1 up, not 2.5
    """
    require_count(mantissa_bits=mantissa_bits)
    return math.log10(2 ** (mantissa_bits + 1))


def exponent_bias(exponent_bits: int) -> int:
    """What is subtracted from a stored exponent (IEEE 754-2019, section 3.4).

    Takes 2 to 11 exponent bits: more do not fit the 64-bit numbers that this is computed in.

    >>> exponent_bias(5), exponent_bias(2), exponent_bias(11)
    (15, 1, 1023)
    >>> exponent_bias(12)
    Traceback (most recent call last):
    ValueError: exponent_bits must be from 2 to 11, not 12
    >>> exponent_bias(1)
    Traceback (most recent call last):
    ValueError: exponent_bits must be from 2 to 11, not 1
    """
    if not 2 <= exponent_bits <= 11:
        raise ValueError(f"exponent_bits must be from 2 to 11, not {exponent_bits}")
    return 2 ** (exponent_bits - 1) - 1


def largest_finite(exponent_bits: int, mantissa_bits: int) -> float:
    """Largest finite number of a format that keeps its top exponent for infinity and NaN.

    All mantissa bits set, and the largest exponent left: IEEE 754-2019, section 3.3. FP8 E4M3 is
    not such a format: its top exponent holds numbers too.

    >>> largest_finite(5, 10)
    65504.0
    >>> largest_finite(5, 0)
    Traceback (most recent call last):
    ValueError: mantissa_bits must be a whole number from 1 up, not 0
    """
    require_count(mantissa_bits=mantissa_bits)
    return (2 - 2.0**-mantissa_bits) * 2.0 ** exponent_bias(exponent_bits)


def smallest_normal(exponent_bits: int) -> float:
    """Smallest positive number with all its digits: mantissa 1.0, the lowest exponent.

    >>> smallest_normal(4)
    0.015625
    """
    return 2.0 ** (1 - exponent_bias(exponent_bits))


def smallest_subnormal(exponent_bits: int, mantissa_bits: int) -> float:
    """Smallest positive number of all: the last mantissa bit at the lowest exponent.

    >>> smallest_subnormal(4, 3)
    0.001953125
    >>> smallest_subnormal(4, 0)
    Traceback (most recent call last):
    ValueError: mantissa_bits must be a whole number from 1 up, not 0
    """
    require_count(mantissa_bits=mantissa_bits)
    return smallest_normal(exponent_bits) * 2.0**-mantissa_bits


def unit_roundoff(mantissa_bits: int) -> float:
    """Largest relative error of rounding to a normal number: half a unit in the last place.

    Also the ratio of update to weight above which no update is lost (see `always_lost_ratio`).

    >>> unit_roundoff(10), 2**-11
    (0.00048828125, 0.00048828125)
    >>> unit_roundoff(0)
    Traceback (most recent call last):
    ValueError: mantissa_bits must be a whole number from 1 up, not 0
    """
    require_count(mantissa_bits=mantissa_bits)
    return 2.0 ** -(mantissa_bits + 1)


def spacing(value: float, number_format: FloatFormat) -> float:
    """Distance from `value` to the next number of larger magnitude in a format.

    Below the smallest normal number it stays the smallest subnormal. Above the largest finite
    number it goes on as if the exponent had room.

    >>> from snippets.formats import FP16, FP8_E4M3
    >>> spacing(1.0, FP16), spacing(-1.99, FP16), spacing(2048.0, FP16)
    (0.0009765625, 0.0009765625, 2.0)
    >>> spacing(0.0, FP8_E4M3), spacing(0.001, FP8_E4M3), spacing(0.04, FP8_E4M3)
    (0.001953125, 0.001953125, 0.00390625)
    >>> spacing(math.nan, FP16)
    Traceback (most recent call last):
    ValueError: value must be a finite number, not nan
    """
    if not math.isfinite(value):
        raise ValueError(f"value must be a finite number, not {value}")
    if value == 0:
        return number_format.smallest_subnormal
    exponent = math.frexp(value)[1] - 1
    return max(2.0 ** (exponent - number_format.mantissa_bits), number_format.smallest_subnormal)


def round_to_format(value: float, number_format: FloatFormat) -> float:
    """The number that a format stores for `value`: the nearest, and of two the even one.

    What is too large becomes infinity, or NaN in a format without one (IEEE 754-2019,
    section 4.3.1; OCP 8-bit floating point specification, without saturation).

    >>> from snippets.formats import BF16, FP16, FP8_E4M3
    >>> round_to_format(0.1, FP16), round_to_format(-0.1, BF16)
    (0.0999755859375, -0.10009765625)
    >>> round_to_format(2049.0, FP16), round_to_format(2051.0, FP16)
    (2048.0, 2052.0)
    >>> round_to_format(65519.0, FP16), round_to_format(65520.0, FP16)
    (65504.0, inf)
    >>> round_to_format(-70000.0, FP16), round_to_format(-math.inf, FP16)
    (-inf, -inf)
    >>> round_to_format(464.0, FP8_E4M3), round_to_format(465.0, FP8_E4M3)
    (448.0, nan)
    >>> round_to_format(-1e-9, FP16), round_to_format(math.inf, FP8_E4M3)
    (-0.0, nan)
    """
    if not math.isfinite(value):
        return value if number_format.has_infinity else math.nan
    step = spacing(value, number_format)
    magnitude = round(abs(value) / step) * step
    if magnitude > number_format.largest_finite:
        return math.copysign(math.inf, value) if number_format.has_infinity else math.nan
    return math.copysign(magnitude, value)


def always_lost_ratio(mantissa_bits: int) -> float:
    """Ratio of update to weight up to which every update is lost, whatever the weight.

    Half the spacing over a weight just below a power of two. Between this ratio and
    `unit_roundoff`, twice as large, it depends on the weight.

    >>> always_lost_ratio(10), 2**-12
    (0.000244140625, 0.000244140625)
    """
    return unit_roundoff(mantissa_bits) / 2


def loss_scale(gradient: float, number_format: FloatFormat) -> float:
    """Smallest power of two that lifts a gradient to where a format keeps all its digits.

    The loss is multiplied by it before the backward pass, the gradients divided by it after
    (Micikevicius et al. 2018, section 3.2). At least 1.

    >>> from snippets.formats import FP16
    >>> loss_scale(2e-8, FP16), loss_scale(-2.0**-17, FP16), loss_scale(0.3, FP16)
    (4096.0, 8.0, 1.0)
    >>> loss_scale(0, FP16)
    Traceback (most recent call last):
    ValueError: gradient must not be zero: no scale lifts it
    """
    if gradient == 0:
        raise ValueError("gradient must not be zero: no scale lifts it")
    doublings = math.ceil(math.log2(number_format.smallest_normal / abs(gradient)))
    return 2.0 ** max(doublings, 0)
