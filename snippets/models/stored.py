"""How many bits the published checkpoint has for each part: its dtype, and its quantization."""

from typing import Any

from snippets.models.configuration import Configuration, section, value
from snippets.models.model import PARTS

DTYPE_BITS = {"float32": 32.0, "float16": 16.0, "bfloat16": 16.0}
QUANTIZED = ("attention", "mlp", "experts")


def stored_bits(config: Configuration) -> dict[str, float]:
    """Bits of each part's matrices, scales and zero points with them, and of its vectors."""
    dtype = value(config, "torch_dtype", "dtype") or "bfloat16"
    if not isinstance(dtype, str) or dtype not in DTYPE_BITS:
        raise ValueError(f"torch_dtype must be one of {', '.join(DTYPE_BITS)}, not {dtype!r}")
    bits = dict.fromkeys([*PARTS, "vectors"], DTYPE_BITS[dtype])
    quantization = section(config, "quantization_config")
    if not quantization:
        return bits
    return bits | quantized(quantization)


def quantized(said: dict[str, Any]) -> dict[str, float]:
    """Bits of the parts that a quantization_config quantizes."""
    method = said.get("quant_method")
    if method == "mxfp4":
        return {"experts": 4.25}
    if method == "fp8":
        return dict.fromkeys(QUANTIZED, 8.0)
    if method in ("awq", "gptq"):
        return {part: grouped_bits(said) for part in QUANTIZED}
    raise ValueError(f"quant_method {method!r} is not known here: only awq, fp8, gptq and mxfp4")


def grouped_bits(said: dict[str, Any]) -> float:
    """Bits per weight of AWQ and GPTQ: a 16-bit scale and a zero point as wide as a weight for each
    group; one scale for a row (a group of -1) is not counted.
    """
    bits = quantization_whole(said, "bits")
    group = quantization_whole(said, "group_size")
    return float(bits) if group == -1 else bits + (16 + bits) / group


def quantization_whole(said: dict[str, Any], key: str) -> int:
    """A whole number of a quantization_config: -1, or from 1 up."""
    number = said.get(key)
    if isinstance(number, bool) or not isinstance(number, int) or number < -1 or number == 0:
        raise ValueError(f"{key} of the quantization must be a whole number, not {number!r}")
    return number
