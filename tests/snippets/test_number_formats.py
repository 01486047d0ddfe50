"""Rounding against every value of a format, numpy, torch and ml_dtypes."""

import bisect
import itertools
import math
import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from snippets.formats import BF16, FLOAT_FORMATS, FP8_E4M3, FP8_E5M2, FP16, FP32, FloatFormat
from snippets.number_formats import (
    always_lost_ratio,
    decimal_digits,
    exponent_bias,
    largest_finite,
    loss_scale,
    round_to_format,
    smallest_normal,
    smallest_subnormal,
    spacing,
    unit_roundoff,
    weight_bytes,
)

IEEE_LIKE = (FP32, FP16, BF16, FP8_E5M2)
SMALL = {
    FP16.name: (FP16, np.float16, np.uint16),
    BF16.name: (BF16, ml_dtypes.bfloat16, np.uint16),
    FP8_E4M3.name: (FP8_E4M3, ml_dtypes.float8_e4m3fn, np.uint8),
    FP8_E5M2.name: (FP8_E5M2, ml_dtypes.float8_e5m2, np.uint8),
}
finite = st.floats(allow_nan=False, allow_infinity=False)


def nonnegative_values(name: str) -> list[float]:
    """All finite values from zero up, in order; a value's index is its bit pattern."""
    number_format, kind, unsigned = SMALL[name]
    patterns = np.arange(2 ** (number_format.bits - 1), dtype=unsigned).view(kind)
    return [float(value) for value in patterns if math.isfinite(float(value))]


VALUES = {name: nonnegative_values(name) for name in SMALL}


def nearest_even(value: float, name: str) -> float:
    """The nearest of all values by exact rational distance, ties to the even bit pattern."""
    number_format, values = SMALL[name][0], VALUES[name]
    magnitude = abs(value)
    above = bisect.bisect_left(values, magnitude)
    if above == len(values):
        last, step = Fraction(values[-1]), Fraction(values[-1]) - Fraction(values[-2])
        rounded = values[-1]
        distance = Fraction(magnitude) - last
        even_is_last = (len(values) - 1) % 2 == 0
        if distance > step / 2 or (distance == step / 2 and not even_is_last):
            rounded = math.inf if number_format.has_infinity else math.nan
    elif values[above] == magnitude or above == 0:
        rounded = values[above]
    else:
        down = Fraction(magnitude) - Fraction(values[above - 1])
        up = Fraction(values[above]) - Fraction(magnitude)
        odd_above = above % 2 == 1
        rounded = values[above - 1] if down < up or (down == up and odd_above) else values[above]
    return rounded if math.isnan(rounded) else math.copysign(rounded, value)


def same(left: float, right: float) -> bool:
    """Equal, with NaN equal to itself and the two zeros apart."""
    return struct.pack("d", left) == struct.pack("d", right) or (
        math.isnan(left) and math.isnan(right)
    )


def neighbours(name: str) -> list[tuple[float, float]]:
    """Pairs of neighbouring values: all of an 8-bit format, the ends and every 31st of others."""
    values = VALUES[name]
    pairs = list(itertools.pairwise(values))
    return pairs if len(pairs) < 256 else [*pairs[:64], *pairs[64:-64:31], *pairs[-64:]]


@pytest.mark.parametrize("name", SMALL)
def test_every_value_and_midpoint_rounds_to_the_nearest(name: str) -> None:
    number_format = SMALL[name][0]
    for low, high in neighbours(name):
        middle = low + (high - low) / 2
        for value in (low, math.nextafter(middle, 0), middle, math.nextafter(middle, math.inf)):
            assert same(round_to_format(value, number_format), nearest_even(value, name)), value
            assert same(round_to_format(-value, number_format), nearest_even(-value, name)), value


@pytest.mark.parametrize("name", SMALL)
@given(value=finite)
def test_any_number_rounds_to_the_nearest(name: str, value: float) -> None:
    assert same(round_to_format(value, SMALL[name][0]), nearest_even(value, name))


@pytest.mark.parametrize("name", SMALL)
@given(scaled=st.floats(-4, 4), exponent=st.integers(-30, 17))
def test_numbers_near_the_range_round_to_the_nearest(
    name: str, scaled: float, exponent: int
) -> None:
    value = math.ldexp(scaled, exponent)
    assert same(round_to_format(value, SMALL[name][0]), nearest_even(value, name))


@given(value=finite)
def test_rounding_to_fp32_and_fp16_is_numpys(value: float) -> None:
    with np.errstate(over="ignore"):
        assert same(round_to_format(value, FP32), float(np.float32(value)))
        assert same(round_to_format(value, FP16), float(np.float16(value)))


@given(value=st.floats(width=32, allow_nan=False))
def test_rounding_fp32_to_bf16_is_torchs(value: float) -> None:
    cast = torch.tensor(value, dtype=torch.float32).to(torch.bfloat16)
    assert same(round_to_format(value, BF16), float(cast))


@pytest.mark.parametrize("number_format", FLOAT_FORMATS.values(), ids=lambda f: f.name)
def test_nan_stays_nan(number_format: FloatFormat) -> None:
    assert math.isnan(round_to_format(math.nan, number_format))


@pytest.mark.parametrize("number_format", FLOAT_FORMATS.values(), ids=lambda f: f.name)
@given(value=finite)
def test_rounding_twice_changes_nothing(number_format: FloatFormat, value: float) -> None:
    once = round_to_format(value, number_format)
    assert same(round_to_format(once, number_format), once)


@pytest.mark.parametrize("number_format", FLOAT_FORMATS.values(), ids=lambda f: f.name)
@given(low=finite, high=finite)
def test_rounding_keeps_order(number_format: FloatFormat, low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    small, large = round_to_format(low, number_format), round_to_format(high, number_format)
    assert math.isnan(small) or math.isnan(large) or small <= large


@pytest.mark.parametrize("name", SMALL)
def test_spacing_is_the_distance_to_the_next_value(name: str) -> None:
    number_format = SMALL[name][0]
    for low, high in neighbours(name):
        assert spacing(low, number_format) == spacing(-low, number_format) == high - low
        assert spacing(low + (high - low) / 2, number_format) == high - low


@given(value=st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_spacing_of_fp32_is_numpys(value: float) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        expected = float(np.spacing(np.abs(np.float32(value))))
    if math.isfinite(expected):
        assert spacing(value, FP32) == expected


@pytest.mark.parametrize("number_format", IEEE_LIKE, ids=lambda f: f.name)
def test_bits_give_the_registrys_figures(number_format: FloatFormat) -> None:
    exponent, mantissa = number_format.exponent_bits, number_format.mantissa_bits
    assert exponent_bias(exponent) == number_format.exponent_bias
    assert largest_finite(exponent, mantissa) == number_format.largest_finite
    assert smallest_normal(exponent) == number_format.smallest_normal
    assert smallest_subnormal(exponent, mantissa) == number_format.smallest_subnormal


def test_bits_give_pythons_own_floats() -> None:
    assert largest_finite(11, 52) == np.finfo(np.float64).max
    assert smallest_normal(11) == np.finfo(np.float64).smallest_normal
    assert smallest_subnormal(11, 52) == math.ulp(0)
    assert unit_roundoff(52) == math.ulp(1.0) / 2


def test_e4m3_keeps_one_more_exponent_than_bits_say() -> None:
    assert largest_finite(4, 3) == 240
    assert FP8_E4M3.largest_finite == 448
    assert smallest_normal(4) == FP8_E4M3.smallest_normal


def test_digits_of_the_lesson() -> None:
    digits = [round(decimal_digits(f.mantissa_bits), 1) for f in (FP32, FP16, BF16)]
    assert digits == [7.2, 3.3, 2.4]


@pytest.mark.parametrize("number_format", FLOAT_FORMATS.values(), ids=lambda f: f.name)
@given(data=st.data())
def test_rounding_errs_by_no_more_than_the_unit_roundoff(
    number_format: FloatFormat, data: st.DataObject
) -> None:
    value = data.draw(st.floats(number_format.smallest_normal, number_format.largest_finite))
    error = abs(Fraction(round_to_format(value, number_format)) - Fraction(value))
    assert error <= Fraction(value) * Fraction(unit_roundoff(number_format.mantissa_bits))


fp16_weights = st.integers(0x0400, 0x77FF).map(
    lambda bits: float(np.array(bits, dtype=np.uint16).view(np.float16))
)


@given(weight=fp16_weights, ratio=st.floats(-(2**-9), 2**-9))
def test_ratios_tell_which_updates_are_lost(weight: float, ratio: float) -> None:
    update = np.float16(weight * ratio)
    lost = np.float16(weight) + update == np.float16(weight)
    assert lost == (round_to_format(weight + float(update), FP16) == weight)
    size = abs(Fraction(float(update))) / Fraction(weight)
    if size <= Fraction(always_lost_ratio(10)):
        assert lost
    if size > Fraction(unit_roundoff(10)):
        assert not lost


def test_ratios_of_the_lesson() -> None:
    assert always_lost_ratio(FP16.mantissa_bits) == 2**-12
    assert unit_roundoff(FP16.mantissa_bits) == 2**-11
    assert always_lost_ratio(BF16.mantissa_bits) == 2**-9


def test_a_gradient_that_fp16_flushes_and_bf16_keeps() -> None:
    assert float(np.float16(2e-8)) == round_to_format(2e-8, FP16) == 0
    assert float(torch.tensor(2e-8, dtype=torch.bfloat16)) == round_to_format(2e-8, BF16) > 0


@given(gradient=st.floats(2**-60, 1.0))
def test_the_loss_scale_is_the_smallest_that_keeps_all_digits(gradient: float) -> None:
    scale = loss_scale(gradient, FP16)
    assert math.frexp(scale)[0] == 0.5
    assert gradient * scale >= FP16.smallest_normal
    assert scale == 1 or gradient * scale / 2 < FP16.smallest_normal


@pytest.mark.parametrize(
    ("parameters", "bytes_each", "total"),
    [
        (70e9, 4, 280e9),
        (70e9, 2, 140e9),
        (70e9, 1, 70e9),
        (70e9, 0.5, 35e9),
        (8e9, 2, 16e9),
        (405e9, 2, 810e9),
    ],
)
def test_weights_of_the_lesson(parameters: float, bytes_each: float, total: float) -> None:
    assert weight_bytes(parameters, bytes_each) == total
