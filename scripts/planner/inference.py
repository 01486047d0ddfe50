"""Using a model: does it fit, how fast can it be at most, and what would fit."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from scripts.planner.answer import MEMORY_ASSUMPTIONS, Answer, check_sizes, sixteen_bit_peak
from snippets.hardware import Accelerator
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.kv_cache import cache_bytes, cache_share_bytes
from snippets.model_parameters import active_parameters, total_parameters
from snippets.speed import balanced_batch, decode_seconds, prefill_seconds
from snippets.training_plan import undivided_heads
from snippets.weight_formats import WEIGHT_FORMATS, expert_bits

MOST_GPUS = 1024
NEVER_LIMITING = 1e30  # operations/s, where no peak is published


@dataclass(frozen=True)
class Candidate:
    """A plan that fits, and how far it is from the one asked for, in doublings."""

    plan: InferencePlan
    distance: float


def answer(plan: InferencePlan, gpu: Accelerator) -> Answer:
    """The answer to an inference plan; ValueError for one that cannot be run."""
    memory = inference_memory(plan)
    result = Answer(
        question=question(plan, gpu),
        memory={name: value for name, value in vars(memory).items() if value},
        available=gpu.memory,
        speed=speed(plan, gpu),
        assumptions=assumptions(plan, gpu),
    )
    check_sizes(result)
    if not result.fits:
        near = nearest(plan, gpu)
        if near is not None:
            result.nearest = changes(plan, near)
    return result


def question(plan: InferencePlan, gpu: Accelerator) -> dict[str, Any]:
    model = plan.model
    return {
        "model": model.name,
        "parameters": total_parameters(model),
        "active_parameters": active_parameters(model),
        "gpu": gpu.name,
        "gpus": plan.tensor,
        "format": plan.weights.name,
        "context": plan.tokens,
        "batch": plan.batch,
        "cache_bytes_per_element": plan.cache_element_bytes,
    }


def speed(plan: InferencePlan, gpu: Accelerator) -> dict[str, float]:
    """Ceilings over all GPUs together; only what memory allows where no peak is published."""
    peak = sixteen_bit_peak(gpu)
    bandwidth = gpu.memory_bandwidth * plan.tensor
    # Where several GPUs hold the same keys and values, each of them reads them.
    alone = cache_bytes(plan.model, tokens=plan.tokens)
    held = cache_share_bytes(plan.model, tokens=plan.tokens, tensor=plan.tensor) * plan.tensor
    step = decode_seconds(
        plan.model,
        plan.weights,
        batch=plan.batch,
        context=plan.tokens,
        peak_operations=(peak or NEVER_LIMITING) * plan.tensor,
        memory_bandwidth=bandwidth,
        cache_element_bytes=plan.cache_element_bytes * held / (alone or 1),
    )
    rates = {
        "decode_tokens_per_second": plan.batch / step,
        "decode_tokens_per_second_per_conversation": 1 / step,
    }
    if peak:
        seconds = prefill_seconds(
            plan.model,
            plan.weights,
            tokens=plan.tokens,
            peak_operations=peak * plan.tensor,
            memory_bandwidth=bandwidth,
        )
        rates["prefill_seconds_per_conversation"] = seconds
        if not plan.model.experts:
            rates["balanced_batch"] = balanced_batch(
                plan.model,
                plan.weights,
                peak_operations=peak,
                memory_bandwidth=gpu.memory_bandwidth,
            )
    return rates


def assumptions(plan: InferencePlan, gpu: Accelerator) -> list[str]:
    listed = [
        *MEMORY_ASSUMPTIONS,
        f"matrices in {plan.weights.name} ({plan.weights.matrix_bits:g} bits with scales);"
        f" embedding, head, router and norms in {plan.weights.other_bits:g} bits",
        f"every conversation holds its {plan.tokens:,} tokens in the cache,"
        f" {plan.cache_element_bytes:g} bytes an element, with no page left half empty",
        f"the prompt is read at most {plan.chunk:,} tokens at a time",
        "speeds are ceilings: all bandwidth, all dense 16-bit arithmetic, no launch or network time",
    ]
    if plan.tensor > 1:
        listed.append("the GPUs split every matrix and the heads; norms and router are on each")
    if plan.model.experts:
        listed.append(
            f"experts' matrices in {expert_bits(plan.weights):g} bits;"
            " tokens are sent to all experts alike"
        )
    if sixteen_bit_peak(gpu) is None:
        listed.append(
            f"no dense 16-bit peak is published for {gpu.name}: ceilings from memory alone"
        )
    return listed


def nearest(plan: InferencePlan, gpu: Accelerator) -> Candidate | None:
    """The plan that fits with the least change, counted in doublings of what is given up."""
    return min(candidates(plan, gpu), key=lambda each: each.distance, default=None)


def candidates(plan: InferencePlan, gpu: Accelerator) -> Iterator[Candidate]:
    """Smaller formats, more GPUs, fewer conversations and at last fewer tokens."""
    bits = plan.weights.matrix_bits
    formats = [each for each in WEIGHT_FORMATS.values() if 4 <= each.matrix_bits < bits]
    for weights in [plan.weights, *formats]:
        for tensor in splits(plan):
            changed = replace(plan, weights=weights, tensor=tensor)
            distance = math.log2(bits / weights.matrix_bits) + math.log2(tensor / plan.tensor)
            yield from with_fewer(changed, gpu, distance)


def splits(plan: InferencePlan) -> list[int]:
    """The asked number of GPUs and its doublings that divide the heads."""
    doublings = [plan.tensor * 2**power for power in range(11)]
    return [
        tensor
        for tensor in doublings
        if tensor <= MOST_GPUS and not undivided_heads(plan.model, tensor)
    ]


def with_fewer(plan: InferencePlan, gpu: Accelerator, distance: float) -> Iterator[Candidate]:
    """The most conversations that fit, or one with the most tokens that fit."""
    batch = most(plan.batch, lambda count: fits(replace(plan, batch=count), gpu))
    if batch:
        yield Candidate(replace(plan, batch=batch), distance + math.log2(plan.batch / batch))
        return
    step = 1024
    kilotokens = most(
        plan.tokens // step, lambda count: fits(replace(plan, batch=1, tokens=count * step), gpu)
    )
    if kilotokens:
        tokens = kilotokens * step
        given_up = math.log2(plan.batch) + math.log2(plan.tokens / tokens)
        yield Candidate(replace(plan, batch=1, tokens=tokens), distance + given_up)


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
    return inference_memory(plan).total <= gpu.memory


def changes(plan: InferencePlan, near: Candidate) -> dict[str, Any]:
    """What differs in the nearest plan, in the words of the command line."""
    slugs = {each.name: slug for slug, each in WEIGHT_FORMATS.items()}
    before = {"format": plan.weights.name, "gpus": plan.tensor, "batch": plan.batch}
    after = {"format": near.plan.weights.name, "gpus": near.plan.tensor, "batch": near.plan.batch}
    before["context"], after["context"] = plan.tokens, near.plan.tokens
    differ = {name: after[name] for name in before if before[name] != after[name]}
    if "format" in differ:
        differ["format"] = slugs[str(differ["format"])]
    total = inference_memory(near.plan).total
    return {"changes": differ, "total_bytes": total}
