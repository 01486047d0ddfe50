"""A service: scripts/plan.py serve asks how many cards it takes, and gets the split, the batch and the times.

`snippets/service_plan.py` predicts a replica; here the fewest cards are found that keep what was asked.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from scripts.planner.answer import runtime_on
from scripts.planner.inference import fits, most
from scripts.planner.plans import settled_weights
from snippets.hardware import Accelerator, usable_memory
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.models import Model
from snippets.runtimes import PYTORCH
from snippets.service_plan import ServicePlan, ServiceTimes, cost_per_million, service_times
from snippets.serving_constants import HELD_BACK, SERVING
from snippets.training_plan import undivided_heads
from snippets.weight_formats import WeightFormat

SERVER = 8  # cards that fast links join: the constants were fitted on splits within one
MOST_BATCH = 2**20  # beyond what any memory holds


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is asked of a service; 0 where nothing is. `rate` is in requests/s, times in seconds."""

    model: Model
    weights: WeightFormat
    card: Accelerator
    prompt: int
    answer: int
    rate: float = 0
    ttft: float = 0
    tpot: float = 0
    price: float = 0


@dataclass(frozen=True, kw_only=True)
class Service:
    """A plan that keeps a wish: replicas, and how their times were predicted."""

    plan: ServicePlan
    replicas: int
    times: ServiceTimes

    @property
    def cards(self) -> int:
        """Of all replicas."""
        return self.plan.tensor * self.replicas


def memory_plan(plan: ServicePlan) -> InferencePlan:
    """The same replica for `inference_memory`: every request holds all of its tokens."""
    return InferencePlan(
        model=plan.model,
        weights=plan.weights,
        tokens=plan.prompt + plan.answer,
        batch=plan.batch,
        tensor=plan.tensor,
        runtime=runtime_on(plan.card, PYTORCH),
    )


def keeps(times: ServiceTimes, wish: Wish) -> bool:
    """Whether the predicted times are within what was asked."""
    return (not wish.ttft or times.ttft <= wish.ttft) and (not wish.tpot or times.tpot <= wish.tpot)


def services(wish: Wish) -> Iterator[Service]:
    """For each split within a server, the service with the largest batch that keeps the wish."""
    for tensor in range(1, SERVER + 1):
        linked = tensor == 1 or wish.card.link_bandwidth
        if linked and not undivided_heads(wish.model, tensor):
            found = split_over(tensor, wish)
            if found is not None:
                yield found


def split_over(tensor: int, wish: Wish) -> Service | None:
    """As few replicas of a split as give the rate, each with no larger a batch than that takes."""
    plan = ServicePlan(
        model=wish.model,
        weights=settled_weights(wish.model, wish.weights),
        card=wish.card,
        prompt=wish.prompt,
        answer=wish.answer,
        tensor=tensor,
    )
    batch = most(MOST_BATCH, lambda count: holds(replace(plan, batch=count), wish))
    if not batch:
        return None
    replicas = math.ceil(wish.rate / gives(replace(plan, batch=batch))) or 1
    if wish.rate:
        each = wish.rate / replicas
        batch = least(batch, lambda count: gives(replace(plan, batch=count)) >= each)
    plan = replace(plan, batch=batch)
    return Service(plan=plan, replicas=replicas, times=service_times(plan, SERVING))


def holds(plan: ServicePlan, wish: Wish) -> bool:
    """Whether a batch fits and its times are within what was asked: a larger one is slower."""
    return fits(memory_plan(plan), plan.card) and keeps(service_times(plan, SERVING), wish)


def gives(plan: ServicePlan) -> float:
    """Requests per second of a replica: more with each request that shares its steps."""
    return service_times(plan, SERVING).requests_per_second


def least(limit: int, holds: Callable[[int], bool]) -> int:
    """The smallest count up to `limit` that holds, where `limit` does."""
    return limit - most(limit - 1, lambda fewer: holds(limit - fewer))


def best_service(wish: Wish) -> Service:
    """The fewest cards; of as many, the fastest tokens. ValueError where nothing keeps the wish."""
    tokens = wish.prompt + wish.answer
    if tokens > wish.model.context:
        raise ValueError(f"{tokens:,} tokens are beyond {wish.model.name}'s {wish.model.context:,}")
    found = list(services(wish))
    if not found:
        alone = replace(wish, rate=0, ttft=0, tpot=0)
        near = list(services(alone)) if wish.ttft or wish.tpot else []
        if not near:
            cards = f"{SERVER} x {wish.card.name}"
            if not wish.card.link_bandwidth:
                cards = f"one {wish.card.name}, and how fast its links to others are is not known"
            raise ValueError(
                f"{wish.model.name}, weights {wish.weights.name}, with {tokens:,} tokens does not fit"
                f" {cards}: take a smaller --format or a larger --gpu"
            )
        ones = [service_times(replace(each.plan, batch=1), SERVING) for each in near]
        raise ValueError(
            f"no split over up to {SERVER} cards is predicted to be so fast; alone, a request has its"
            f" first token after {min(each.ttft for each in ones):.3g} s and then one every"
            f" {min(each.tpot for each in ones) * 1e3:.3g} ms"
        )
    return min(found, key=lambda each: (each.cards, each.times.tpot))


def longest_context(plan: ServicePlan) -> int:
    """Tokens of each request at most, with the plan's batch."""
    held = memory_plan(plan)
    return most(plan.model.context, lambda tokens: fits(replace(held, tokens=tokens), plan.card))


def answer(wish: Wish) -> dict[str, Any]:
    """The service that keeps a wish, with intervals; times in seconds."""
    found = best_service(wish)
    plan, times = found.plan, found.times
    tokens = times.tokens_per_second * found.replicas
    largest = most(
        MOST_BATCH, lambda count: fits(memory_plan(replace(plan, batch=count)), plan.card)
    )
    made: dict[str, Any] = {
        "question": {
            "model": wish.model.name,
            "gpu": wish.card.name,
            "format": plan.weights.name,
            "prompt": wish.prompt,
            "answer": wish.answer,
            **asked(wish),
        },
        "cards": found.cards,
        "replicas": found.replicas,
        "tensor": plan.tensor,
        "batch": plan.batch,
        "ttft": spread(times.ttft, HELD_BACK.ttft_low, HELD_BACK.ttft_high),
        "tpot": spread(times.tpot, HELD_BACK.tpot_low, HELD_BACK.tpot_high),
        "requests_per_second": times.requests_per_second * found.replicas,
        "tokens_per_second": tokens,
        "memory_bytes": inference_memory(memory_plan(plan)).total,
        "available_bytes": usable_memory(wish.card),
        "largest_batch": largest,
        "longest_context": longest_context(plan),
        "assumptions": assumptions(plan),
    }
    if wish.price:
        made["cost_per_million_tokens"] = cost_per_million(
            price_per_hour=wish.price, cards=found.cards, tokens_per_second=tokens
        )
    return made


def asked(wish: Wish) -> dict[str, float]:
    """What a service must keep, and what a card costs, where they were asked."""
    limits = {"rate": wish.rate, "ttft": wish.ttft, "tpot": wish.tpot, "price": wish.price}
    return {name: value for name, value in limits.items() if value}


def spread(predicted: float, low: float, high: float) -> dict[str, float]:
    """A predicted time, and where nine in ten held-back runs had theirs."""
    return {"predicted": predicted, "low": predicted * low, "high": predicted * high}


def assumptions(plan: ServicePlan) -> list[str]:
    """What the answer takes for granted, a sentence each."""
    listed = [
        "the batch is full: a new request comes when one is answered; lengths do not vary",
        "an engine with continuous batching, paged caches and CUDA graphs; no speculation,"
        " no shared prefixes, a cache in 16 bits",
        "constants fitted on runs of TensorRT-LLM, vLLM and SGLang on H100, H200, B200, GB200 and"
        " GB300 cards; on others they are an extrapolation",
        "from low to high: nine in ten of the runs on models and cards that were held back",
    ]
    if plan.weights.widened:
        listed.append("weights are widened to 16 bits before they are multiplied")
    return listed
