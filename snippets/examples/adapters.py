"""Llama 3.1 8B tuned on 2,048 tokens, its layers recomputed: all weights, LoRA and QLoRA."""

from dataclasses import replace

from snippets.models import llama_3_1_8b
from snippets.stage_memory import fullest_stage
from snippets.training_plan import TrainingPlan
from snippets.weight_formats import bf16_weights, nf4_double

everything = TrainingPlan(model=llama_3_1_8b, tokens=2048, recompute=True)
lora = replace(everything, adapter_rank=16, frozen=bf16_weights)
qlora = replace(lora, frozen=nf4_double)

for name, plan in (("all weights", everything), ("LoRA", lora), ("QLoRA", qlora)):
    held = fullest_stage(plan)
    frozen = held.frozen_weights / 1e9
    trained = (held.weights + held.gradients + held.optimizer) / 1e9
    rest = held.total / 1e9 - frozen - trained
    print(f"{name:11} frozen {frozen:5.2f} GB, trained {trained:6.2f} GB, all else {rest:.2f} GB")
