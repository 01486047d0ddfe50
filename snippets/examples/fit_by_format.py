"""Which formats of Llama 3.1 8B fit a GeForce RTX 3060, with one conversation of 8,192 tokens."""

from snippets.hardware import rtx_3060
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.models import llama_3_1_8b
from snippets.weight_formats import bf16_weights, int4_g32, int8_weights

for weights in (bf16_weights, int8_weights, int4_g32):
    plan = InferencePlan(model=llama_3_1_8b, weights=weights, tokens=8192)
    memory = inference_memory(plan)
    left = rtx_3060.memory - memory.total
    print(
        f"{weights.name}: {memory.weights / 2**30:.2f} GiB of weights, {memory.cache / 2**30:.2f} "
        f"of cache, {left / 2**30:.2f} left"
    )
