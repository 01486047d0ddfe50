"""How many bits the published checkpoint has for each part: its dtype, and its quantization."""

from typing import Any

from snippets.models.configuration import Configuration, section, value
from snippets.models.model import PARTS

DTYPE_BITS = {"float32": 32.0, "float16": 16.0, "bfloat16": 16.0}
QUANTIZED = ("attention", "mlp", "experts")
ALGORITHMS = {  # of NVIDIA's Model Optimizer: bits of a weight and its share of its group's scale
    "FP8": 8.0,
    "MXFP8": 8 + 8 / 32,
    "NVFP4": 4 + 8 / 16,
    "W4A16_NVFP4": 4 + 8 / 16,
    "W4A8_NVFP4_FP8": 4 + 8 / 16,
    "W4A16_AWQ": 4 + 16 / 128,
    "W8A16": 8.0,
}
METHODS = "awq, bitsandbytes, compressed-tensors, fbgemm_fp8, fp8, gptq, modelopt and mxfp4"


def stored_bits(config: Configuration, layers: int) -> dict[str, float]:
    """Bits of each part's matrices, scales and zero points with them, and of its vectors."""
    dtype = value(config, "torch_dtype", "dtype") or "bfloat16"
    if not isinstance(dtype, str) or dtype not in DTYPE_BITS:
        raise ValueError(f"torch_dtype must be one of {', '.join(DTYPE_BITS)}, not {dtype!r}")
    plain = DTYPE_BITS[dtype]
    bits = dict.fromkeys([*PARTS, "vectors"], plain)
    said = section(config, "quantization_config")
    if not said:
        return bits
    left = [*names(said, "modules_to_not_convert"), *names(said, "ignore")]
    left += [*names(said, "exclude_modules"), *names(said, "llm_int8_skip_modules")]
    shares = left_alone(left, layers)
    for part, quantized in quantized_bits(said).items():
        bits[part] = quantized + (plain - quantized) * shares[part]
    return bits


def quantized_bits(said: dict[str, Any]) -> dict[str, float]:
    """Bits of the parts that a quantization_config quantizes."""
    method, algorithm = said.get("quant_method"), said.get("quant_algo")
    if isinstance(said.get("quantized_layers"), dict):
        return mixed_bits(said["quantized_layers"])
    if method == "mxfp4":
        return {"experts": 4 + 8 / 32}
    if method in ("awq", "gptq"):
        found = grouped_bits(said)
    elif method == "fbgemm_fp8":
        found = 8.0
    elif method == "fp8":
        block = said.get("weight_block_size")
        sides = block if isinstance(block, list) and len(block) == 2 else [0, 0]
        found = 8 + (32 / (sides[0] * sides[1]) if sides[0] and sides[1] else 0)
    elif method == "bitsandbytes":
        found = bitsandbytes_bits(said)
    elif isinstance(algorithm, str) and algorithm in ALGORITHMS:
        found = ALGORITHMS[algorithm]
    elif method in ("compressed-tensors", "modelopt"):
        found = group_bits(said.get("config_groups"))
    else:
        raise ValueError(f"quant_method {method!r} is not known here: only {METHODS}")
    return dict.fromkeys(QUANTIZED, found)


def names(said: dict[str, Any], key: str) -> list[str]:
    """The modules that a list names."""
    listed = said.get(key) or []
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise ValueError(f"{key} of the quantization must be a list of modules, not {listed!r}")
    return listed


def grouped_bits(said: dict[str, Any]) -> float:
    """Bits per weight of AWQ and GPTQ: a 16-bit scale and a zero point as wide as a weight for each
    group; one scale for a row (a group of -1) is not counted.
    """
    bits = quantization_whole(said, "bits", "w_bit")
    group = quantization_whole(said, "group_size", "q_group_size")
    return float(bits) if group == -1 else bits + (16 + bits) / group


def bitsandbytes_bits(said: dict[str, Any]) -> float:
    """NF4 and FP4 have an FP32 scale for 64 weights, or with double quantization an 8-bit one and an
    FP32 scale for 256 of those; INT8 one for a row, which is not counted.
    """
    if not said.get("load_in_4bit"):
        return 8.0
    return 4 + (8 / 64 + 32 / (64 * 256) if said.get("bnb_4bit_use_double_quant") else 32 / 64)


def group_bits(groups: Any) -> float:
    """Bits per weight of compressed-tensors: of the first group of its config_groups."""
    found = list(groups.values()) if isinstance(groups, dict) else []
    weights = found[0].get("weights") if found and isinstance(found[0], dict) else None
    if not isinstance(weights, dict):
        raise ValueError("config_groups of the quantization says nothing of weights")
    bits = quantization_whole(weights, "num_bits")
    if not weights.get("group_size"):
        return float(bits)
    group = quantization_whole(weights, "group_size")
    small = weights.get("type") == "float" and bits == 4  # NVFP4 and MXFP4: scales of 8 bits
    zero = 0 if weights.get("symmetric", True) else bits
    return bits + (8 if small else 16 + zero) / group


def mixed_bits(layers: dict[str, Any]) -> dict[str, float]:
    """Bits of each part where each module has its own: those of the last of its modules."""
    bits = {}
    for name, each in layers.items():
        algorithm = each.get("quant_algo") if isinstance(each, dict) else each
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise ValueError(f"quant_algo {algorithm!r} is not known here")
        if part_of(name) in QUANTIZED:
            bits[part_of(name)] = ALGORITHMS[algorithm]
    return bits


def quantization_whole(said: dict[str, Any], *keys: str) -> int:
    """A whole number of a quantization_config: -1, or from 1 up."""
    found = [said.get(key) for key in keys if said.get(key) is not None]
    number = found[0] if found else None
    if isinstance(number, bool) or not isinstance(number, int) or number < -1 or number == 0:
        raise ValueError(f"{keys[0]} of the quantization must be a whole number, not {number!r}")
    return number


def left_alone(modules: list[str], layers: int) -> dict[str, float]:
    """The share of layers in which each part is left as it was."""
    held: dict[str, dict[int, bool]] = {part: {} for part in QUANTIZED}
    for name in modules:
        part = part_of(name)
        within = [i for i in range(layers) if f"layers.{i}." in name or f"layers.{i}*" in name]
        whole = part == "" and "layers." in name and name[-1] == "*"
        for each in QUANTIZED if whole else [part]:
            if each in held:
                held[each] = held[each] | dict.fromkeys(within or range(layers), True)
    return {part: len(found) / layers for part, found in held.items()}


def part_of(name: str) -> str:
    """The part that a module's name, or a pattern of names, means; "" for none of the layers'."""
    if any(word in name for word in ("vision", "visual", "projector", "embed", "mtp", "index")):
        return ""
    if "norm" in name or name[-5:] == ".gate" or "router" in name or "correction" in name:
        return ""
    for word, part in {
        "shared_expert": "mlp",
        "expert": "experts",
        "attn": "attention",
        "attention": "attention",
        "mixer": "attention",
        "mlp": "mlp",
        "feed_forward": "mlp",
    }.items():
        if word in name:
            return part
    return ""
