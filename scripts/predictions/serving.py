"""Time to first token and per output token of published serving runs, from their settings alone.

`serving_report.py` sets what `predictable` gives beside what was measured, `serving_fit.py` fits the
constants to it. The formulas stand in `snippets/serving_time.py`.
"""

import functools
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from scripts.predictions.serving_runs import Run, Unpredictable, service
from snippets.serving_constants import SERVING, ServingConstants
from snippets.serving_time import (
    PROMPTS_FIRST_WAIT,
    busy_seconds,
    decode_step_seconds,
    queue_seconds,
    time_per_output_token,
    time_to_first_token,
)
from snippets.serving_work import StepWork, step_work

PROMPTS_FIRST = ("sglang",)  # engines that compute all waiting prompts before they decode on


@dataclass(frozen=True, kw_only=True)
class Load:
    """A run as the formulas take it: the work of its steps, and how requests meet."""

    decoding: StepWork
    prompt: StepWork
    others: float
    shared: bool
    prompts_first: bool
    output: float
    concurrency: float
    admitted: float


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Seconds; `least` is what reading weights and caches once takes at the datasheet's bandwidth."""

    ttft: float
    tpot: float
    least: float


@dataclass(frozen=True)
class Errors:
    """Of `runs` predictions, the median and 90th percentile of the absolute relative error."""

    runs: int
    median: float
    ninetieth: float
    bias: float


@functools.cache
def load(run: Run) -> Load:
    """The work of a run's steps. Raises Unpredictable."""
    found = service(run)
    per_worker = found.admitted / found.decode_workers
    lanes = found.prefill_workers * found.prefill.attention_data
    return Load(
        decoding=step_work(
            found.decode,
            sequences=max(per_worker, 1),
            new_tokens=1,
            context=run.prompt + run.output / 2,
            decoding=True,
        ),
        prompt=step_work(
            found.prefill,
            sequences=found.prefill.attention_data,
            new_tokens=run.prompt,
            context=run.prompt / 2,
            decoding=False,
        ),
        others=max(found.admitted / lanes - 1, 0),
        shared=run.mode == "agg",
        prompts_first=run.backend in PROMPTS_FIRST,
        output=run.output,
        concurrency=found.concurrency,
        admitted=found.admitted,
    )


def predict(given: Load, constants: ServingConstants = SERVING) -> Prediction:
    """What the formulas say of a load."""
    step = decode_step_seconds(given.decoding, constants)
    prompt = busy_seconds(given.prompt, constants)
    wait = PROMPTS_FIRST_WAIT if given.prompts_first else constants.mixed_wait
    tpot = time_per_output_token(
        step=step,
        prompt=prompt,
        others=given.others if given.shared else 0,
        output_tokens=given.output,
        wait=wait,
    )
    first = time_to_first_token(
        prompt=prompt,
        unrecorded=given.prompt.launches * constants.unrecorded,
        others=given.others,
        wait=wait,
    )
    queue = queue_seconds(
        concurrency=given.concurrency,
        admitted=given.admitted,
        output_tokens=given.output,
        tpot=tpot,
    )
    least = sum(product.memory for product in given.decoding.products) + given.decoding.cache
    return Prediction(ttft=first + queue, tpot=tpot, least=least)


def predictable(
    runs: Iterable[Run], constants: ServingConstants = SERVING
) -> tuple[dict[Run, Prediction], dict[Run, str]]:
    """The prediction for each run that has one, and why the others have none."""
    found, refused = {}, {}
    for run in runs:
        try:
            found[run] = predict(load(run), constants)
        except (Unpredictable, ValueError) as reason:  # figures of its model or card are missing
            refused[run] = str(reason)
    return found, refused


def errors(pairs: Iterable[tuple[float, float]]) -> Errors:
    """Of pairs of what was predicted and what was measured."""
    relative = [predicted / measured - 1 for predicted, measured in pairs]
    absolute = sorted(abs(each) for each in relative)
    if len(absolute) == 1:
        absolute *= 2
    return Errors(
        runs=len(relative),
        median=statistics.median(absolute),
        ninetieth=statistics.quantiles(absolute, n=10, method="inclusive")[8],
        bias=statistics.median(relative),
    )
