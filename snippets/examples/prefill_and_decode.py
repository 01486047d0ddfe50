"""The least time of a step: a prompt's tokens at once, or one more token of each conversation."""

from snippets.hardware import h100_sxm
from snippets.models import llama_3_1_8b
from snippets.speed import decode_seconds, prefill_seconds
from snippets.weight_formats import fp16_weights

card = {"peak_operations": h100_sxm.dense_fp16, "memory_bandwidth": h100_sxm.memory_bandwidth}

for tokens in (1, 128, 512, 2048, 8192):
    seconds = prefill_seconds(llama_3_1_8b, fp16_weights, tokens=tokens, **card)
    print(f"a prompt of {tokens}: {seconds * 1e3:.1f} ms, {tokens / seconds:.0f} tokens/s")

for batch in (1, 16, 64, 256):
    seconds = decode_seconds(llama_3_1_8b, fp16_weights, batch=batch, context=2048, **card)
    print(f"{batch} conversations: {seconds * 1e3:.1f} ms a step, {batch / seconds:.0f} tokens/s")
