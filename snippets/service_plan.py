"""A service on one replica: its first token, each token after it, and how many at once.

`scripts/planner/service.py` asks for it split by split and batch by batch; the chapter on inference
derives the parts. `snippets/serving_time.py` has the formulas, `serving_constants.py` what was fitted.
"""

from dataclasses import dataclass

from snippets.arguments import require_count
from snippets.hardware.accelerator import Accelerator
from snippets.models import Model
from snippets.serving_constants import ServingConstants
from snippets.serving_time import (
    busy_seconds,
    decode_step_seconds,
    time_per_output_token,
    time_to_first_token,
)
from snippets.serving_work import Worker, step_work
from snippets.weight_formats import WeightFormat, expert_bits


@dataclass(frozen=True, kw_only=True)
class ServicePlan:
    """A replica on `tensor` cards that `batch` requests share, each of `prompt` and `answer` tokens.

    Whoever gets an answer asks again at once, so that the batch stays full.
    """

    model: Model
    weights: WeightFormat
    card: Accelerator
    prompt: int
    answer: int
    batch: int = 1
    tensor: int = 1


@dataclass(frozen=True, kw_only=True)
class ServiceTimes:
    """Seconds to the first token (TTFT) and per output token (TPOT), and the replica's rates."""

    ttft: float
    tpot: float
    requests_per_second: float
    tokens_per_second: float


def service_worker(plan: ServicePlan) -> Worker:
    """The plan's replica as `step_work` takes it: integers are widened before they are multiplied.

    >>> from snippets.hardware import h100_sxm
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import fp8_weights, int4_g32
    >>> def found(weights):
    ...     worker = service_worker(ServicePlan(
    ...         model=llama_3_1_8b, weights=weights, card=h100_sxm, prompt=1000, answer=100, tensor=2))
    ...     return worker.bits["mlp"], worker.weight_only, worker.link
    >>> found(fp8_weights), found(int4_g32)
    ((8, False, 450000000000.0), (4.5, True, 450000000000.0))
    """
    weights = plan.weights
    bits = {
        "attention": weights.matrix_bits,
        "mlp": weights.matrix_bits,
        "experts": expert_bits(weights),
    }
    if weights.mixture == "published":
        bits = {part: plan.model.stored_bits[part] for part in bits}
    return Worker(
        model=plan.model,
        card=plan.card,
        bits=bits,
        weight_only=weights.widened,
        tensor=plan.tensor,
        link=plan.card.link_bandwidth or 0,
    )


def service_times(plan: ServicePlan, constants: ServingConstants) -> ServiceTimes:
    """What a request waits for, and what the replica gives, at a full batch.

    >>> from snippets.hardware import h100_sxm
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.serving_constants import SERVING
    >>> from snippets.weight_formats import bf16_weights
    >>> def times(batch):
    ...     return service_times(ServicePlan(
    ...         model=llama_3_1_8b, weights=bf16_weights, card=h100_sxm, prompt=1000, answer=500,
    ...         batch=batch), SERVING)
    >>> one, many = times(1), times(32)
    >>> round(one.requests_per_second * (one.ttft + 500 * one.tpot), 9)
    1.0
    >>> many.tpot > one.tpot, many.tokens_per_second > 10 * one.tokens_per_second
    (True, True)
    """
    require_count(prompt=plan.prompt, answer=plan.answer, batch=plan.batch, tensor=plan.tensor)
    worker = service_worker(plan)
    decoding = step_work(
        worker,
        sequences=plan.batch,
        new_tokens=1,
        context=plan.prompt + plan.answer / 2,
        decoding=True,
    )
    reading = step_work(
        worker, sequences=1, new_tokens=plan.prompt, context=plan.prompt / 2, decoding=False
    )
    prompt = busy_seconds(reading, constants)
    tpot = time_per_output_token(
        step=decode_step_seconds(decoding, constants),
        prompt=prompt,
        others=plan.batch - 1,
        output_tokens=plan.answer,
        wait=constants.mixed_wait,
    )
    ttft = time_to_first_token(
        prompt=prompt,
        unrecorded=reading.launches * constants.unrecorded,
        others=plan.batch - 1,
        wait=constants.mixed_wait,
    )
    requests = plan.batch / (ttft + plan.answer * tpot)
    return ServiceTimes(
        ttft=ttft,
        tpot=tpot,
        requests_per_second=requests,
        tokens_per_second=requests * plan.answer,
    )


def cost_per_million(*, price_per_hour: float, cards: int, tokens_per_second: float) -> float:
    """What a million output tokens cost, in the currency of the price of one card for an hour.

    >>> cost_per_million(price_per_hour=3.6, cards=2, tokens_per_second=1000)
    2.0
    """
    return price_per_hour * cards / 3600 / tokens_per_second * 1e6
