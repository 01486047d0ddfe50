"""Fewer bits per weight are fewer bytes per token: the ceiling of an 8B model on an H100."""

from snippets.bandwidth import decode_ceiling
from snippets.hardware import h100_sxm
from snippets.quantized_size import bits_per_weight, quantized_bytes

for name, bits in (
    ("FP16", 16),
    ("INT8", bits_per_weight(8, 32)),
    ("INT4", bits_per_weight(4, 32)),
):
    ceiling = decode_ceiling(h100_sxm.memory_bandwidth, quantized_bytes(8e9, bits))
    print(f"{name}, {bits:g} bits per weight: {ceiling:.0f} tokens/s")
