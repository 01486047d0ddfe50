"""How fast an H100 can write with an 8B model, one sequence at a time."""

from snippets.bandwidth import decode_ceiling
from snippets.formats import FP16
from snippets.hardware import h100_sxm
from snippets.number_formats import weight_bytes

ceiling = decode_ceiling(h100_sxm.memory_bandwidth, weight_bytes(8e9, FP16.bytes))
print(f"writing ceiling, 8B in FP16 on an H100: {ceiling:.0f} tokens/s")
