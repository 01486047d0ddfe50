"""Training a model: does it fit, and what would."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scripts.planner.answer import (
    Answer,
    checked,
    memory_assumptions,
    near,
    runtime_on,
    sixteen_bit_peak,
)
from snippets.adapters import adapter_parameters, adapter_training_operations_per_token
from snippets.hardware import Accelerator, usable_memory
from snippets.model_parameters import active_parameters, total_parameters
from snippets.operations import training_operations_per_token
from snippets.stage_memory import fullest_stage
from snippets.training_memory import bytes_per_parameter
from snippets.training_plan import TrainingPlan, check_training_plan, plan_gpus
from snippets.weight_bytes import model_bytes

MOST_DOUBLINGS = 10


def answer(plan: TrainingPlan, gpu: Accelerator) -> Answer:
    """The answer to a training plan; ValueError for one that cannot be run."""
    plan = replace(plan, runtime=runtime_on(gpu, plan.runtime))
    result = checked(
        Answer(
            question=question(plan, gpu),
            memory=vars(fullest_stage(plan)),
            available=usable_memory(gpu),
            speed=speed(plan, gpu),
            assumptions=assumptions(plan, gpu),
        )
    )
    found = None if result.fits else nearest(plan, gpu)
    if found is not None:
        result.nearest = near(options(plan), options(found), fullest_stage(found).total)
    return result


def options(plan: TrainingPlan) -> dict[str, Any]:
    """What a nearest plan may change, in the words of the command line."""
    return {
        "gpus": plan_gpus(plan),
        "tensor": plan.tensor,
        "pipeline": plan.pipeline,
        "data": plan.data,
        "zero_stage": plan.zero_stage,
        "micro_batch": plan.micro_batch,
        "micro_batches": plan.micro_batches,
        "recompute": plan.recompute,
    }


def question(plan: TrainingPlan, gpu: Accelerator) -> dict[str, Any]:
    """What was asked, in full."""
    adapters: dict[str, Any] = {}
    if plan.adapter_rank:
        adapters = {
            "adapter_rank": plan.adapter_rank,
            "trained_parameters": trained_parameters(plan),
            "frozen": plan.frozen.name,
        }
    return {
        "model": plan.model.name,
        "parameters": total_parameters(plan.model),
        "active_parameters": active_parameters(plan.model),
        "gpu": gpu.name,
        **options(plan),
        "context_ranks": plan.context,
        "bytes_per_parameter": bytes_per_parameter(plan.state),
        "tokens": plan.tokens,
        "sequence_parallel": plan.sequence_parallel,
    } | adapters


def trained_parameters(plan: TrainingPlan) -> int:
    """Parameters of the adapters, or all."""
    if plan.adapter_rank:
        return round(adapter_parameters(plan.model, plan.adapter_rank))
    return total_parameters(plan.model)


def speed(plan: TrainingPlan, gpu: Accelerator) -> dict[str, float]:
    """Tokens/s of all GPUs at their dense 16-bit peak (a model FLOP utilisation of one)."""
    peak = sixteen_bit_peak(gpu)
    if peak is None:
        return {}
    each = training_operations_per_token(plan.model, tokens=plan.tokens)
    if plan.adapter_rank:
        each = adapter_training_operations_per_token(
            plan.model, plan.adapter_rank, tokens=plan.tokens
        )
    return {
        "operations_per_token": each,
        "tokens_per_second_at_peak": peak * plan_gpus(plan) / each,
    }


def assumptions(plan: TrainingPlan, gpu: Accelerator) -> list[str]:
    """What the answer to a plan takes for granted, a sentence each."""
    state = plan.state
    listed = [
        *memory_assumptions(gpu),
        f"per trained parameter {bytes_per_parameter(state):g} bytes: {state.name}",
        "attention never stores its scores (FlashAttention); no dropout; activations in 16 bits",
        "at the output head 10 bytes a logit: 16 bits, an FP32 copy, and their gradient",
        "the allocator adds 5 % to activations and logits",
        "tokens per second at peak: every multiply-add of the dense 16-bit peak, nothing waited for",
    ]
    if plan.adapter_rank:
        listed += [
            f"adapters of rank {plan.adapter_rank} beside every matrix of attention and MLPs, none beside"
            " experts and routers, without dropout; all other weights stay as they are",
            "frozen weights in four bits are widened to 16 bits a matrix at a time",
        ]
    if plan.pipeline > 1:
        listed.append(
            "stages are balanced by work, the output head counted; one forward, one backward"
            " (1F1B), so the first stage holds as many micro-batches as there are stages"
        )
    if plan.data * plan.context > 1:
        listed.append("copies exchange gradients and weights in place, with no buffers beside")
        if plan.zero_stage == 3:
            listed.append(
                "ZeRO-3 has two units gathered, the one at work and the next: a layer, the embedding"
                " or the output head"
            )
    if plan.tensor > 1:
        listed.append(
            "hidden states are split along the sequence between matrices"
            if plan.sequence_parallel
            else "every GPU of a tensor split keeps whole hidden states"
        )
    if plan.model.experts:
        listed.append("tokens are sent to all experts alike; experts are split like other matrices")
    return listed


def nearest(plan: TrainingPlan, gpu: Accelerator) -> TrainingPlan | None:
    """The plan that fits with the fewest GPUs more, and on these with the least change."""
    state = trained_parameters(plan) * bytes_per_parameter(plan.state)
    if plan.adapter_rank:
        state += model_bytes(plan.model, plan.frozen)
    # Even split evenly it takes so many more.
    fewest = state / usable_memory(gpu) / plan_gpus(plan)
    for doublings in range(math.ceil(math.log2(max(fewest, 1))), MOST_DOUBLINGS + 1):
        wider = [each for each in splits(plan, doublings) if fits(leanest(each), gpu)]
        fitting = (
            (cost, index, changed)
            for index, each in enumerate(wider)
            for cost, changed in leaner(each, gpu)
        )
        found = min(fitting, default=None)
        if found is not None:
            return found[2]
    return None


def splits(plan: TrainingPlan, doublings: int) -> Iterator[TrainingPlan]:
    """All ways of doubling the tensor, pipeline and data splits so many times together."""
    for tensor in range(doublings + 1):
        for pipeline in range(doublings + 1 - tensor):
            changed = replace(
                plan,
                tensor=plan.tensor << tensor,
                pipeline=plan.pipeline << pipeline,
                data=plan.data << (doublings - tensor - pipeline),
                micro_batches=max(plan.micro_batches, plan.pipeline << pipeline),
            )
            inside_a_server = changed.tensor <= max(plan.tensor, 8)
            if inside_a_server and possible(changed):
                yield changed


def possible(plan: TrainingPlan) -> bool:
    """Whether a plan can be run at all, memory aside."""
    try:
        check_training_plan(plan)
    except ValueError:
        return False
    return True


def fits(plan: TrainingPlan, gpu: Accelerator) -> bool:
    """Whether the fullest GPU has memory enough."""
    return fullest_stage(plan).total <= usable_memory(gpu)


def leanest(plan: TrainingPlan) -> TrainingPlan:
    """The plan on the same GPUs that needs the least memory."""
    return replace(plan, zero_stage=3, recompute=True, micro_batch=1)


def leaner(plan: TrainingPlan, gpu: Accelerator) -> Iterator[tuple[float, TrainingPlan]]:
    """Plans on the same GPUs that fit, with what they cost: a judgement, in doublings of time.

    Recomputation costs a third more work, a ZeRO stage some communication, and a smaller
    micro-batch some of the arithmetic's efficiency.
    """
    stages = range(plan.zero_stage, 4) if plan.data * plan.context > 1 else [plan.zero_stage]
    for zero_stage in stages:
        for recompute in (False, True) if not plan.recompute else (True,):
            changed = replace(plan, zero_stage=zero_stage, recompute=recompute)
            cost = 0.1 * (zero_stage - plan.zero_stage)
            cost += math.log2(4 / 3) * (recompute != plan.recompute)
            while changed.micro_batch > 1 and not fits(changed, gpu):
                changed = replace(changed, micro_batch=changed.micro_batch // 2)
                cost += 0.5
            if fits(changed, gpu):
                yield cost, changed
