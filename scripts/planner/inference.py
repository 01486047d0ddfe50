"""Using a model: does it fit, how fast can it be at most, and what would fit."""

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
from snippets.bandwidth import decode_ceiling
from snippets.hardware import Accelerator, usable_memory
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.model_parameters import active_parameters, total_parameters
from snippets.models import Model
from snippets.speed import balanced_batch, decode_seconds, prefill_seconds, weights_read
from snippets.training_plan import undivided_heads
from snippets.weight_formats import WEIGHT_FORMATS, expert_bits

MOST_GPUS = 1024
NEVER_LIMITING = 1e30  # operations/s, where no peak is published


def answer(plan: InferencePlan, gpu: Accelerator) -> Answer:
    """The answer to an inference plan; ValueError for one that cannot be run."""
    plan = replace(plan, runtime=runtime_on(gpu, plan.runtime))
    result = checked(
        Answer(
            question=question(plan, gpu),
            memory=vars(inference_memory(plan)),
            available=usable_memory(gpu),
            speed=speed(plan, gpu),
            assumptions=assumptions(plan, gpu),
        )
    )
    found = None if result.fits else nearest(plan, gpu)
    if found is not None:
        result.nearest = near(options(plan), options(found), inference_memory(found).total)
    return result


def options(plan: InferencePlan) -> dict[str, Any]:
    """What a nearest plan may change, in the words of the command line."""
    (slug,) = [slug for slug, each in WEIGHT_FORMATS.items() if each.name == plan.weights.name]
    gpus = plan.tensor * plan.pipeline
    return {"format": slug, "gpus": gpus, "batch": plan.batch, "context": plan.tokens}


def question(plan: InferencePlan, gpu: Accelerator) -> dict[str, Any]:
    """What was asked, in full."""
    return {
        "model": plan.model.name,
        "parameters": total_parameters(plan.model),
        "active_parameters": active_parameters(plan.model),
        "gpu": gpu.name,
        "gpus": plan.tensor * plan.pipeline,
        "pipeline": plan.pipeline,
        "format": plan.weights.name,
        "context": plan.tokens,
        "batch": plan.batch,
        "cache_bytes_per_element": plan.cache_element_bytes,
    }


def speed(plan: InferencePlan, gpu: Accelerator) -> dict[str, float]:
    """Ceilings over all GPUs together; only what memory allows where no peak is published.

    The first is that of chapter three, which counts the weights whole and nothing else. The others count
    what a step reads: of the embedding a row for each token, and the cache.
    Stages work on a part of the conversations each, and a token passes one after the other.
    """
    peak = sixteen_bit_peak(gpu)
    step = decode_seconds(
        plan.model,
        plan.weights,
        batch=-(-plan.batch // plan.pipeline),
        context=plan.tokens,
        peak_operations=peak or NEVER_LIMITING,
        memory_bandwidth=gpu.memory_bandwidth,
        tensor=plan.tensor,
        cache_element_bytes=plan.cache_element_bytes,
    )
    whole = weights_read(plan.model, plan.weights, embedding=True, tensor=plan.tensor)
    rates = {
        "bandwidth_over_weights": decode_ceiling(gpu.memory_bandwidth, whole),
        "decode_tokens_per_second": plan.batch / step,
        "decode_tokens_per_second_per_conversation": 1 / step,
    }
    if peak:
        rates["prefill_seconds_per_conversation"] = prefill_seconds(
            plan.model,
            plan.weights,
            tokens=plan.tokens,
            peak_operations=peak * plan.pipeline,
            memory_bandwidth=gpu.memory_bandwidth * plan.pipeline,
            tensor=plan.tensor,
        )
        if not plan.model.experts:
            rates["balanced_batch"] = balanced_batch(
                plan.model,
                plan.weights,
                peak_operations=peak,
                memory_bandwidth=gpu.memory_bandwidth,
            )
    return rates


def assumptions(plan: InferencePlan, gpu: Accelerator) -> list[str]:
    """What the answer to a plan takes for granted, a sentence each."""
    listed = [
        *memory_assumptions(gpu),
        f"matrices in {plan.weights.name} ({plan.weights.matrix_bits:g} bits with scales);"
        f" embedding, head, router and norms in {plan.weights.other_bits:g} bits",
        f"every conversation holds its {plan.tokens:,} tokens in the cache,"
        f" {plan.cache_element_bytes:g} bytes an element with its scales, no page left half empty",
        f"the prompt is read at most {plan.chunk:,} tokens at a time",
        "speeds are ceilings: all bandwidth, all dense 16-bit arithmetic, no launch or network time;"
        " a step reads the cache, and of the embedding a row for each token",
    ]
    if plan.tensor > 1:
        listed.append("the GPUs split every matrix and the heads; norms and router are on each")
    if plan.pipeline > 1:
        listed.append(
            "stages are balanced by work; each serves its share of the conversations at a time"
        )
    if plan.model.experts:
        listed.append(
            f"experts' matrices in {expert_bits(plan.weights):g} bits;"
            " tokens are sent to all experts alike"
        )
    listed += beside_the_plan(plan.model)
    if sixteen_bit_peak(gpu) is None:
        listed.append(
            f"no dense 16-bit peak is published for {gpu.name}: ceilings from memory alone"
        )
    return listed


def beside_the_plan(model: Model) -> list[str]:
    """What the checkpoint holds beside the language model, and what the file leaves to its class."""
    listed = [
        f"not in the plan: {each.name}, {each.parameters:,} parameters" for each in model.beside
    ]
    if model.from_class:
        listed.append(
            f"not in the file, as its model class takes it: {', '.join(model.from_class)}"
        )
    return listed


def nearest(plan: InferencePlan, gpu: Accelerator) -> InferencePlan | None:
    """The plan that fits with the least change, counted in doublings of what is given up."""
    found = min(candidates(plan, gpu), key=lambda each: each[0], default=None)
    return None if found is None else found[1]


def candidates(plan: InferencePlan, gpu: Accelerator) -> Iterator[tuple[float, InferencePlan]]:
    """Smaller formats, more GPUs, fewer conversations and at last fewer tokens."""
    bits = plan.weights.matrix_bits
    formats = [each for each in WEIGHT_FORMATS.values() if 4 <= each.matrix_bits < bits]
    for weights in [plan.weights, *formats]:
        for doublings in range(11):
            tensor = plan.tensor * 2**doublings
            if tensor * plan.pipeline > MOST_GPUS or undivided_heads(plan.model, tensor):
                continue
            changed = replace(plan, weights=weights, tensor=tensor)
            yield from with_fewer(changed, gpu, math.log2(bits / weights.matrix_bits) + doublings)


def with_fewer(
    plan: InferencePlan, gpu: Accelerator, distance: float
) -> Iterator[tuple[float, InferencePlan]]:
    """The most conversations that fit, or one with the most tokens that fit."""
    batch = most(plan.batch, lambda count: fits(replace(plan, batch=count), gpu))
    if batch:
        yield distance + math.log2(plan.batch / batch), replace(plan, batch=batch)
        return
    alone = replace(plan, batch=1)
    tokens = 1024 * most(
        plan.tokens // 1024, lambda count: fits(replace(alone, tokens=1024 * count), gpu)
    )
    if tokens:
        given_up = math.log2(plan.batch) + math.log2(plan.tokens / tokens)
        yield distance + given_up, replace(alone, tokens=tokens)


def most(limit: int, holds: Any) -> int:
    """The largest count up to `limit` that holds; 0 if none does."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def fits(plan: InferencePlan, gpu: Accelerator) -> bool:
    """Whether its fullest GPU has room."""
    return inference_memory(plan).total <= usable_memory(gpu)
