"""The least time of a step: a prompt at once, or one more token of each conversation."""

from functools import partial

from snippets.hardware import h100_sxm
from snippets.models import llama_3_1_8b
from snippets.speed import decode_seconds, prefill_seconds
from snippets.weight_formats import fp16_weights

peak, bandwidth = h100_sxm.dense_fp16, h100_sxm.memory_bandwidth
prefill = partial(prefill_seconds, peak_operations=peak, memory_bandwidth=bandwidth)
decode = partial(decode_seconds, peak_operations=peak, memory_bandwidth=bandwidth)

for tokens in (1, 128, 512, 2048, 8192):
    seconds = prefill(llama_3_1_8b, fp16_weights, tokens=tokens)
    print(f"a prompt of {tokens}: {seconds * 1e3:.1f} ms, {tokens / seconds:.0f} tokens/s")

for batch in (1, 16, 64, 256):
    seconds = decode(llama_3_1_8b, fp16_weights, batch=batch, context=2048)
    print(f"a batch of {batch}: {seconds * 1e3:.1f} ms a step, {batch / seconds:.0f} tokens/s")
