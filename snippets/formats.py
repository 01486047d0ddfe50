"""The number formats that weights, gradients and activations are stored in, each with its source.

>>> for stored in FLOAT_FORMATS.values():
...     print(stored.name, stored.bits, stored.bytes, stored.sign_bits, stored.exponent_bits,
...           stored.mantissa_bits, stored.exponent_bias, stored.has_infinity)
FP32 32 4 1 8 23 127 True
FP16 16 2 1 5 10 15 True
BF16 16 2 1 8 7 127 True
FP8 E4M3 8 1 1 4 3 7 False
FP8 E5M2 8 1 1 5 2 15 True
>>> for stored in FLOAT_FORMATS.values():
...     print(stored.largest_finite, stored.smallest_normal, stored.smallest_subnormal)
3.4028234663852886e+38 1.1754943508222875e-38 1.401298464324817e-45
65504.0 6.103515625e-05 5.960464477539063e-08
3.3895313892515355e+38 1.1754943508222875e-38 9.183549615799121e-41
448.0 0.015625 0.001953125
57344.0 6.103515625e-05 1.52587890625e-05
>>> for stored in INTEGER_FORMATS.values():
...     print(stored.name, stored.bits, stored.bytes, stored.smallest, stored.largest)
INT8 8 1 -128 127
INT4 4 0.5 -8 7
>>> sorted(FORMATS)
['BF16', 'FP16', 'FP32', 'FP8_E4M3', 'FP8_E5M2', 'INT4', 'INT8']

A format cannot be changed, and its figures go by name:

>>> FP16.bits = 17
Traceback (most recent call last):
dataclasses.FrozenInstanceError: cannot assign to field 'bits'
>>> INT8.bits = 9
Traceback (most recent call last):
dataclasses.FrozenInstanceError: cannot assign to field 'bits'
>>> FloatFormat("FP16")
Traceback (most recent call last):
TypeError: FloatFormat.__init__() takes 1 positional argument but 2 were given
>>> IntegerFormat("INT8")
Traceback (most recent call last):
TypeError: IntegerFormat.__init__() takes 1 positional argument but 2 were given
"""

from dataclasses import dataclass

from snippets.sources import Source


@dataclass(frozen=True, kw_only=True)
class FloatFormat:
    """A binary floating-point format: a sign, an exponent (range) and a mantissa (digits).

    A normal number is (-1)^sign x 1.mantissa x 2^(exponent - exponent_bias). `bytes` is what one
    number takes in memory. Without an infinity, what is too large becomes NaN.
    """

    name: str
    bits: int
    bytes: float
    sign_bits: int
    exponent_bits: int
    mantissa_bits: int
    exponent_bias: int
    largest_finite: float
    smallest_normal: float
    smallest_subnormal: float
    has_infinity: bool
    sources: dict[str, Source]


@dataclass(frozen=True, kw_only=True)
class IntegerFormat:
    """A two's complement integer: no exponent; many weights share one scale instead."""

    name: str
    bits: int
    bytes: float
    smallest: int
    largest: int
    sources: dict[str, Source]


LAYOUT = ("bits", "bytes", "sign_bits", "exponent_bits", "mantissa_bits")
RANGE = (
    "exponent_bias",
    "largest_finite",
    "smallest_normal",
    "smallest_subnormal",
    "has_infinity",
)

READ = "2026-11-29"

IEEE_754 = Source(
    "IEEE Std 754-2019, IEEE standard for floating-point arithmetic",
    "sections 3.3 and 3.4; section 3.6, table 3.5 (binary interchange format parameters)",
    "https://doi.org/10.1109/IEEESTD.2019.8766229",
    "",
)
KALAMKAR = Source(
    "Kalamkar et al. 2019, A study of BFLOAT16 for deep learning training",
    "abstract: the same range as FP32; the figure follows from the bits",
    "https://arxiv.org/abs/1905.12322",
    READ,
)
ONEDNN = Source(
    "oneDNN developer guide, bfloat16 training",
    "introduction: 8-bit exponent as FP32, 7-bit mantissa",
    "https://oneapi-src.github.io/oneDNN/dev_guide_training_bf16.html",
    READ,
)
MICIKEVICIUS = Source(
    "Micikevicius et al. 2022, FP8 formats for deep learning",
    "table 1",
    "https://arxiv.org/abs/2209.05433",
    READ,
)
ONNX_QUANTIZE = Source(
    "ONNX operators, QuantizeLinear",
    "summary: saturation of int8 and int4",
    "https://onnx.ai/onnx/operators/onnx__QuantizeLinear",
    READ,
)

FP32 = FloatFormat(
    name="FP32",
    bits=32,
    bytes=4,
    sign_bits=1,
    exponent_bits=8,
    mantissa_bits=23,
    exponent_bias=127,
    largest_finite=(2 - 2.0**-23) * 2.0**127,
    smallest_normal=2.0**-126,
    smallest_subnormal=2.0**-149,
    has_infinity=True,
    sources=dict.fromkeys(LAYOUT + RANGE, IEEE_754),
)

FP16 = FloatFormat(
    name="FP16",
    bits=16,
    bytes=2,
    sign_bits=1,
    exponent_bits=5,
    mantissa_bits=10,
    exponent_bias=15,
    largest_finite=65504.0,
    smallest_normal=2.0**-14,
    smallest_subnormal=2.0**-24,
    has_infinity=True,
    sources=dict.fromkeys(LAYOUT + RANGE, IEEE_754),
)

BF16 = FloatFormat(
    name="BF16",
    bits=16,
    bytes=2,
    sign_bits=1,
    exponent_bits=8,
    mantissa_bits=7,
    exponent_bias=127,
    largest_finite=(2 - 2.0**-7) * 2.0**127,
    smallest_normal=2.0**-126,
    smallest_subnormal=2.0**-133,
    has_infinity=True,
    sources={**dict.fromkeys(LAYOUT, ONEDNN), **dict.fromkeys(RANGE, KALAMKAR)},
)

FP8_E4M3 = FloatFormat(
    name="FP8 E4M3",
    bits=8,
    bytes=1,
    sign_bits=1,
    exponent_bits=4,
    mantissa_bits=3,
    exponent_bias=7,
    largest_finite=448.0,
    smallest_normal=2.0**-6,
    smallest_subnormal=2.0**-9,
    has_infinity=False,
    sources=dict.fromkeys(LAYOUT + RANGE, MICIKEVICIUS),
)

FP8_E5M2 = FloatFormat(
    name="FP8 E5M2",
    bits=8,
    bytes=1,
    sign_bits=1,
    exponent_bits=5,
    mantissa_bits=2,
    exponent_bias=15,
    largest_finite=57344.0,
    smallest_normal=2.0**-14,
    smallest_subnormal=2.0**-16,
    has_infinity=True,
    sources=dict.fromkeys(LAYOUT + RANGE, MICIKEVICIUS),
)

INT8 = IntegerFormat(
    name="INT8",
    bits=8,
    bytes=1,
    smallest=-128,
    largest=127,
    sources=dict.fromkeys(("bits", "bytes", "smallest", "largest"), ONNX_QUANTIZE),
)

INT4 = IntegerFormat(
    name="INT4",
    bits=4,
    bytes=0.5,
    smallest=-8,
    largest=7,
    sources=dict.fromkeys(("bits", "bytes", "smallest", "largest"), ONNX_QUANTIZE),
)

FLOAT_FORMATS: dict[str, FloatFormat] = {
    "FP32": FP32,
    "FP16": FP16,
    "BF16": BF16,
    "FP8_E4M3": FP8_E4M3,
    "FP8_E5M2": FP8_E5M2,
}
INTEGER_FORMATS: dict[str, IntegerFormat] = {"INT8": INT8, "INT4": INT4}
FORMATS: dict[str, FloatFormat | IntegerFormat] = {**FLOAT_FORMATS, **INTEGER_FORMATS}
