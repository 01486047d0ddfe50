"""The attention cache of Llama-2-7B grows with every token of a conversation."""

from snippets.bandwidth import kv_cache_bytes_per_token
from snippets.formats import FP16

per_token = kv_cache_bytes_per_token(
    layers=32, kv_heads=32, head_dim=128, bytes_per_element=FP16.bytes
)

print(f"each token: {per_token / 2**10:.0f} KiB")
for tokens in (1, 256, 4096):
    print(f"{tokens} tokens: {tokens * per_token / 2**30:.4f} GiB")
