"""The registry of formats against ml_dtypes, torch and numpy."""

from dataclasses import fields

import ml_dtypes
import numpy as np
import pytest
import torch

from snippets.formats import (
    BF16,
    FLOAT_FORMATS,
    FORMATS,
    FP8_E4M3,
    FP8_E5M2,
    FP16,
    FP32,
    INT4,
    INT8,
    FloatFormat,
    IntegerFormat,
)

NUMPY_TYPES = {
    "FP32": np.float32,
    "FP16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "FP8_E4M3": ml_dtypes.float8_e4m3fn,
    "FP8_E5M2": ml_dtypes.float8_e5m2,
}
TORCH_TYPES = {
    "FP32": torch.float32,
    "FP16": torch.float16,
    "BF16": torch.bfloat16,
    "FP8_E4M3": torch.float8_e4m3fn,
    "FP8_E5M2": torch.float8_e5m2,
}


@pytest.mark.parametrize("key", FLOAT_FORMATS)
def test_floats_are_those_of_ml_dtypes(key: str) -> None:
    number_format, info = FLOAT_FORMATS[key], ml_dtypes.finfo(NUMPY_TYPES[key])
    assert number_format.bits == info.bits
    assert number_format.exponent_bits == info.iexp
    assert number_format.mantissa_bits == info.nmant
    assert number_format.largest_finite == float(info.max)
    assert number_format.smallest_normal == float(info.smallest_normal)
    assert number_format.smallest_subnormal == float(info.smallest_subnormal)
    assert number_format.exponent_bias == 1 - info.minexp


@pytest.mark.parametrize("key", FLOAT_FORMATS)
def test_floats_are_those_of_torch(key: str) -> None:
    number_format, info = FLOAT_FORMATS[key], torch.finfo(TORCH_TYPES[key])
    assert number_format.bits == info.bits
    assert number_format.bytes == TORCH_TYPES[key].itemsize
    assert number_format.largest_finite == info.max
    assert number_format.smallest_normal == info.smallest_normal
    assert info.eps == 2.0**-number_format.mantissa_bits


@pytest.mark.parametrize("key", FLOAT_FORMATS)
def test_infinity_is_where_the_type_has_one(key: str) -> None:
    cast = float(np.array(np.inf, dtype=np.float32).astype(NUMPY_TYPES[key]))
    assert FLOAT_FORMATS[key].has_infinity == (cast == np.inf)


@pytest.mark.parametrize("key", FLOAT_FORMATS)
def test_bits_are_sign_exponent_and_mantissa(key: str) -> None:
    number_format = FLOAT_FORMATS[key]
    parts = (number_format.sign_bits, number_format.exponent_bits, number_format.mantissa_bits)
    assert sum(parts) == number_format.bits


def test_integers_are_those_of_the_types() -> None:
    assert (INT8.smallest, INT8.largest) == (torch.iinfo(torch.int8).min, 127)
    info = ml_dtypes.iinfo(ml_dtypes.int4)
    assert (INT4.smallest, INT4.largest) == (info.min, info.max)
    assert not hasattr(INT4, "exponent_bits")


@pytest.mark.parametrize("key", FORMATS)
def test_every_figure_has_a_source(key: str) -> None:
    number_format = FORMATS[key]
    figures = {field.name for field in fields(number_format)} - {"name", "sources"}
    assert set(number_format.sources) == figures
    for source in number_format.sources.values():
        assert source.url.startswith("https://")
        assert source.title
        assert source.section


@pytest.mark.parametrize("key", FORMATS)
def test_bytes_are_bits_over_eight(key: str) -> None:
    assert FORMATS[key].bytes * 8 == FORMATS[key].bits


def test_the_formats_of_the_lesson() -> None:
    layout = {
        number_format.name: (
            number_format.bytes,
            number_format.sign_bits,
            number_format.exponent_bits,
            number_format.mantissa_bits,
        )
        for number_format in (FP32, FP16, BF16)
    }
    assert layout == {"FP32": (4, 1, 8, 23), "FP16": (2, 1, 5, 10), "BF16": (2, 1, 8, 7)}
    assert FP16.largest_finite == 65504
    assert f"{FP32.largest_finite:.2g}" == f"{BF16.largest_finite:.2g}" == "3.4e+38"
    assert (FP8_E4M3.largest_finite, FP8_E5M2.largest_finite) == (448, 57344)


def test_registry_keys_are_the_names() -> None:
    assert {key.replace("_", " ") for key in FORMATS} == {f.name for f in FORMATS.values()}
    kinds = [type(number_format) for number_format in FORMATS.values()]
    assert kinds == [FloatFormat] * 5 + [IntegerFormat] * 2
