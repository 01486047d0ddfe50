"""How many long conversations eight H100s hold beside Llama 3.1 70B in INT4."""

from snippets.hardware import h100_sxm
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.models import llama_3_1_70b
from snippets.weight_formats import int4_g32

for batch in (1, 16, 48, 64):
    plan = InferencePlan(model=llama_3_1_70b, weights=int4_g32, tokens=32768, batch=batch, tensor=8)
    memory = inference_memory(plan)
    total = memory.total
    verdict = "fits" if total <= h100_sxm.usable_memory else "does not fit"
    print(
        f"{batch} at once: {memory.weights / 2**30:.1f} GiB of weights, {memory.cache / 2**30:.1f} "
        f"of cache, {total / 2**30:.1f} in all: {verdict}"
    )
