"""What users wait for, and what four H100s give, as more requests share each step."""

from dataclasses import replace

from snippets.hardware import h100_sxm
from snippets.models import llama_3_1_70b
from snippets.service_plan import ServicePlan, service_times
from snippets.serving_constants import SERVING
from snippets.weight_formats import fp8_weights

plan = ServicePlan(
    model=llama_3_1_70b, weights=fp8_weights, card=h100_sxm, tensor=4, prompt=2000, answer=500
)
for batch in (1, 8, 32, 128):
    times = service_times(replace(plan, batch=batch), SERVING)
    print(
        f"batch {batch}: first token {times.ttft * 1e3:.0f} ms, then one every"
        f" {times.tpot * 1e3:.1f} ms, {times.tokens_per_second:.0f} tokens/s"
    )
