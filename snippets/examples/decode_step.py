"""The least time of one decoding step, from the bytes that it reads."""

from snippets.bandwidth import decode_ceiling, transfer_seconds
from snippets.formats import FP16
from snippets.hardware import h100_sxm
from snippets.number_formats import weight_bytes

weights = weight_bytes(8e9, FP16.bytes)
seconds = transfer_seconds(weights, h100_sxm.memory_bandwidth)
ceiling = decode_ceiling(h100_sxm.memory_bandwidth, weights)
print(f"one step reads {weights / 1e9:.0f} GB in {seconds * 1e3:.2f} ms: {ceiling:.0f} tokens/s")
