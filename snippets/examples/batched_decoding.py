"""Many conversations at once share each reading of the weights, but not of their caches."""

from snippets.bandwidth import batched_decode_ceiling, kv_cache_bytes_per_token
from snippets.formats import FP16
from snippets.hardware import h100_sxm
from snippets.number_formats import weight_bytes

cache = 2048 * kv_cache_bytes_per_token(
    layers=32, kv_heads=8, head_dim=128, bytes_per_element=FP16.bytes
)

for sequences in (1, 8, 64, 200):
    ceiling = batched_decode_ceiling(
        memory_bandwidth=h100_sxm.memory_bandwidth,
        weight_bytes=weight_bytes(8e9, FP16.bytes),
        cache_bytes=cache,
        sequences=sequences,
    )
    print(f"{sequences} at once: {ceiling:.0f} tokens/s, {ceiling / sequences:.0f} for each")
