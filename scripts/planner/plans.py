"""What a command line or a page left open in a plan, settled; ValueError says what to change."""

from dataclasses import replace

from snippets.inference_plan import InferencePlan
from snippets.models import Model
from snippets.training_memory import BOTH_GRADIENTS, FP32_GRADIENTS, MIXED_PRECISION
from snippets.training_plan import TrainingPlan, other_splits, plan_gpus, undivided_heads
from snippets.weight_bytes import published_weights
from snippets.weight_formats import (
    WeightFormat,
    bf16_weights,
    fp16_weights,
    int8_weights,
    nf4,
    nf4_double,
)

STATES = {"16": MIXED_PRECISION, "18": FP32_GRADIENTS, "20": BOTH_GRADIENTS}
FROZEN = {
    "bf16": bf16_weights,
    "fp16": fp16_weights,
    "int8": int8_weights,
    "nf4": nf4,
    "nf4-double": nf4_double,
}  # formats of weights that adapters are trained beside
CACHE_FORMATS = {"fp32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 1.0, "int8": 1.0}
CACHE_SCALES = {"int8": 2.0}  # bytes: an FP16 scale for each head's key and each one's value
TOKENS = 4096  # where the question names none, and the model allows as many


def settled_inference(plan: InferencePlan, *, gpus: int, cache: str) -> InferencePlan:
    """The plan, its tokens chosen where they are 0; without a number of GPUs (0) one a stage."""
    gpus = gpus or plan.pipeline
    if gpus % plan.pipeline:
        raise ValueError(f"{gpus} GPUs are not a multiple of the {plan.pipeline} stages")
    tensor = gpus // plan.pipeline
    if gpus <= plan.model.layers and undivided_heads(plan.model, tensor):
        others = other_splits(plan.model, tensor)
        raise ValueError(
            f"a tensor split of {tensor} {undivided_heads(plan.model, tensor)}; {others},"
            f" or let {gpus} stages split the layers"
        )
    return replace(
        plan,
        weights=settled_weights(plan.model, plan.weights),
        tokens=plan.tokens or min(TOKENS, plan.model.context),
        tensor=tensor,
        cache_element_bytes=CACHE_FORMATS[cache]
        + CACHE_SCALES.get(cache, 0.0) / plan.model.head_dim,
    )


def settled_weights(model: Model, weights: WeightFormat) -> WeightFormat:
    """The format; where it is "as published", that of the model's own checkpoint."""
    return published_weights(model) if weights.mixture == "published" else weights


def settled_training(plan: TrainingPlan, *, gpus: int) -> TrainingPlan:
    """The plan, its tokens, micro-batches and copies chosen where they are 0.

    Copies follow from the GPUs; without a number of them (0) there is one.
    """
    others = plan_gpus(replace(plan, data=1))
    if gpus and not plan.data and gpus % others:
        raise ValueError(f"{gpus} GPUs are not a multiple of the {others} of one copy")
    copies = plan.data or (gpus // others if gpus else 1)
    if gpus and gpus != others * copies:
        raise ValueError(f"{gpus} GPUs are not the {others * copies} that the splits multiply to")
    return replace(
        plan,
        tokens=plan.tokens or min(TOKENS, plan.model.context),
        micro_batches=plan.micro_batches or plan.pipeline,
        data=copies,
    )
