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

from dataclasses import dataclass, fields

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
READ = "2026-11-29"

RUST = "https://github.com/rust-lang/rust/blob/"


def _ieee_754(*quotations: Source) -> Source:
    """The standard, which is not within reach, and who implements it and says how."""
    return Source(
        "IEEE Std 754-2019, IEEE standard for floating-point arithmetic",
        "sections 3.3 and 3.4; section 3.6, table 3.5 (binary interchange format parameters)",
        "https://doi.org/10.1109/IEEESTD.2019.8766229",
        "",
        others=quotations,
    )


BINARY32 = _ieee_754(
    Source(
        "Rust, core::f32",
        "masks 0x80000000, 0x7f800000, 0x007fffff; MAX 3.40282347e38, MIN_POSITIVE 1.17549435e-38",
        f"{RUST}3f25897339afae970b679dad60c7cef16a234109/library/core/src/num/f32.rs",
        "2026-12-01",
        quoted=True,
    ),
    Source(
        "Apple, PowerPC Numerics",
        "table 2-7, single: 32 bits, 24 of significand, exponents -126 to 127, least 1.4e-45",
        "https://developer.apple.com/library/archive/documentation/mac/PPCNumerics/PPCNumerics-19.html",
        "2026-12-01",
        quoted=True,
    ),
)
BINARY16 = _ieee_754(
    Source(
        "Rust, core::f16",
        "masks 0x8000, 0x7c00, 0x03ff; MAX 65504, MIN_POSITIVE 6.1035e-5",
        f"{RUST}00d226d12e2aadf3ef13ff49709b1e5913203e00/library/core/src/num/f16.rs",
        "2026-12-01",
        quoted=True,
    ),
    Source(
        "Zephyr, CONFIG_FP16_IEEE",
        "IEEE 754-2008: normalized values from 2^(-14) to 65504, 11 bits of significand",
        "https://docs.zephyrproject.org/2.7.4/reference/kconfig/CONFIG_FP16_IEEE.html",
        "2026-12-01",
        quoted=True,
    ),
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


def _float_format(
    name: str,
    exponent_bits: int,
    mantissa_bits: int,
    source: Source,
    *,
    layout_source: Source | None = None,
    has_infinity: bool = True,
) -> FloatFormat:
    """A format of its layout. As in IEEE 754 the highest exponent is kept for infinity and NaN;
    without an infinity, NaN takes only the last of its numbers."""
    bits = 1 + exponent_bits + mantissa_bits
    bias = 2 ** (exponent_bits - 1) - 1
    step = 2.0**-mantissa_bits
    figures = [each.name for each in fields(FloatFormat) if each.name not in ("name", "sources")]
    return FloatFormat(
        name=name,
        bits=bits,
        bytes=bits // 8,
        sign_bits=1,
        exponent_bits=exponent_bits,
        mantissa_bits=mantissa_bits,
        exponent_bias=bias,
        largest_finite=(2 - step) * 2.0**bias
        if has_infinity
        else (2 - 2 * step) * 2.0 ** (bias + 1),
        smallest_normal=2.0 ** (1 - bias),
        smallest_subnormal=2.0 ** (1 - bias) * step,
        has_infinity=has_infinity,
        sources=dict.fromkeys(figures, source) | dict.fromkeys(LAYOUT, layout_source or source),
    )


def _integer_format(name: str, bits: int) -> IntegerFormat:
    return IntegerFormat(
        name=name,
        bits=bits,
        bytes=bits / 8 if bits < 8 else bits // 8,
        smallest=-(2 ** (bits - 1)),
        largest=2 ** (bits - 1) - 1,
        sources=dict.fromkeys(("bits", "bytes", "smallest", "largest"), ONNX_QUANTIZE),
    )


FP32 = _float_format("FP32", 8, 23, BINARY32)
FP16 = _float_format("FP16", 5, 10, BINARY16)
BF16 = _float_format("BF16", 8, 7, KALAMKAR, layout_source=ONEDNN)
FP8_E4M3 = _float_format("FP8 E4M3", 4, 3, MICIKEVICIUS, has_infinity=False)
FP8_E5M2 = _float_format("FP8 E5M2", 5, 2, MICIKEVICIUS)
INT8 = _integer_format("INT8", 8)
INT4 = _integer_format("INT4", 4)

FLOAT_FORMATS: dict[str, FloatFormat] = {
    "FP32": FP32,
    "FP16": FP16,
    "BF16": BF16,
    "FP8_E4M3": FP8_E4M3,
    "FP8_E5M2": FP8_E5M2,
}
INTEGER_FORMATS: dict[str, IntegerFormat] = {"INT8": INT8, "INT4": INT4}
FORMATS: dict[str, FloatFormat | IntegerFormat] = {**FLOAT_FORMATS, **INTEGER_FORMATS}
