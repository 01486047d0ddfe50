"""Training Llama 3.1 8B on eight H100s, four ways."""

from dataclasses import replace

from snippets.hardware import h100_sxm
from snippets.models import llama_3_1_8b
from snippets.stage_memory import fullest_stage
from snippets.training_plan import TrainingPlan

plain = TrainingPlan(model=llama_3_1_8b, tokens=4096, micro_batch=2, data=8, zero_stage=1)
for name, plan in (
    ("ZeRO-1", plain),
    ("ZeRO-1, one sequence", replace(plain, micro_batch=1)),
    ("ZeRO-1, recomputation", replace(plain, recompute=True)),
    ("ZeRO-3", replace(plain, zero_stage=3)),
):
    memory = fullest_stage(plan)
    total = memory.total
    print(
        f"{name}: activations {memory.activations / 2**30:.1f} GiB, logits "
        f"{memory.logits / 2**30:.1f}, all {total / 2**30:.1f}: "
        f"{'fits' if total <= h100_sxm.usable_memory else 'does not fit'}"
    )
