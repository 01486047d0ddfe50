"""From what a command line or a page asks to a plan; ValueError says what to change."""

from snippets.inference_plan import InferencePlan
from snippets.models import Model
from snippets.training_memory import (
    BOTH_GRADIENTS,
    FP32_GRADIENTS,
    MIXED_PRECISION,
    TrainingState,
)
from snippets.training_plan import TrainingPlan
from snippets.weight_formats import WeightFormat

STATES = {"16": MIXED_PRECISION, "18": FP32_GRADIENTS, "20": BOTH_GRADIENTS}
CACHE_FORMATS = {"fp32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 1.0, "int8": 1.0}
MOST = 10**12  # of anything that is counted


def check_gpus(gpus: int | None) -> None:
    if gpus is not None and gpus < 1:
        raise ValueError(f"--gpus must be a whole number from 1 up, not {gpus}")


def check_counts(counts: list[int | None]) -> None:
    for count in counts:
        if count is not None and count > MOST:
            raise ValueError("a number is too large for any plan")


def inference_plan(
    *,
    model: Model,
    weights: WeightFormat,
    context: int | None,
    batch: int,
    gpus: int | None,
    cache_element_bytes: float,
) -> InferencePlan:
    """A plan whose GPUs all split the model; None where nothing was asked."""
    check_counts([batch, gpus])
    return InferencePlan(
        model=model,
        weights=weights,
        tokens=min(4096, model.context) if context is None else context,
        batch=batch,
        tensor=1 if gpus is None else gpus,
        cache_element_bytes=cache_element_bytes,
    )


def training_plan(
    *,
    model: Model,
    state: TrainingState,
    context: int | None,
    gpus: int | None,
    tensor: int,
    pipeline: int,
    data: int | None,
    context_ranks: int,
    micro_batch: int,
    micro_batches: int | None,
    zero_stage: int,
    sequence_parallel: bool,
    recompute: bool,
) -> TrainingPlan:
    """A plan whose copies follow from the GPUs, or the GPUs from the copies."""
    check_counts(
        [gpus, tensor, pipeline, data, context_ranks, micro_batch, micro_batches, zero_stage]
    )
    others = tensor * pipeline * context_ranks
    copies = 1 if data is None else data
    if gpus is not None and data is None:
        if others > 0 and gpus % others:
            raise ValueError(f"{gpus} GPUs are not a multiple of the {others} of one copy")
        copies = gpus // others if others > 0 else 1
    elif gpus is not None and gpus != others * copies:
        raise ValueError(f"{gpus} GPUs are not the {others * copies} that the splits multiply to")
    return TrainingPlan(
        model=model,
        tokens=min(4096, model.context) if context is None else context,
        micro_batch=micro_batch,
        micro_batches=max(pipeline, 1) if micro_batches is None else micro_batches,
        tensor=tensor,
        pipeline=pipeline,
        data=copies,
        context=context_ranks,
        zero_stage=zero_stage,
        state=state,
        sequence_parallel=sequence_parallel,
        recompute=recompute,
    )
