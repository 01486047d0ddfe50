"""From the work of a step to what a user waits for: the first token, and each one after it.

`scripts/predictions/serving.py` compares them with published runs. `snippets/serving_constants.py` says
how far real cards and engines stay below a datasheet: the only figures here that were fitted.
"""

from snippets.serving_constants import ServingConstants
from snippets.serving_work import StepWork

# An engine that computes all waiting prompts before it decodes on makes a request wait for half of
# the others, on average: where many come together, half of them are before it.
PROMPTS_FIRST_WAIT = 0.5


def busy_seconds(work: StepWork, constants: ServingConstants) -> float:
    """Seconds in which a card reads, computes or sends: a product whichever of two takes longer.

    >>> from snippets.serving_work import Product
    >>> constants = ServingConstants(
    ...     memory_share=0.5, operation_share=0.25, half_rate_rows=10, launch=1, exchange=1,
    ...     link_share=0.2, unrecorded=1, mixed_wait=0.1, sources={})
    >>> work = StepWork(
    ...     products=[Product(memory=3, operations=1, rows=10), Product(memory=3, operations=1, rows=5)],
    ...     cache=2, attention=0.25, link=0.4, launches=7, exchanges=3)
    >>> busy_seconds(work, constants)
    26.0
    """
    products = sum(
        max(
            product.memory / constants.memory_share,
            product.operations
            / constants.operation_share
            * (1 + constants.half_rate_rows / product.rows),
        )
        for product in work.products
    )
    attention = max(work.cache / constants.memory_share, work.attention / constants.operation_share)
    return products + attention + work.link / constants.link_share


def decode_step_seconds(work: StepWork, constants: ServingConstants) -> float:
    """Seconds of a decoding step: what keeps the card busy, and what it waits for.

    >>> constants = ServingConstants(
    ...     memory_share=1, operation_share=1, half_rate_rows=0, launch=2, exchange=7,
    ...     link_share=1, unrecorded=1, mixed_wait=0, sources={})
    >>> work = StepWork(products=[], cache=5, attention=4, link=0, launches=100, exchanges=10)
    >>> decode_step_seconds(work, constants)
    275.0
    """
    waits = work.launches * constants.launch + work.exchanges * constants.exchange
    return busy_seconds(work, constants) + waits


def time_per_output_token(
    *, step: float, prompt: float, others: float, output_tokens: float, wait: float
) -> float:
    """Seconds from one token of an answer to the next, with prompts computed on the same cards.

    While an answer of `output_tokens` is written, each of the `others` brings a new prompt of `prompt`
    seconds. The part `wait` of them was waited for before the first token.

    >>> time_per_output_token(step=2, prompt=30, others=4, output_tokens=10, wait=0.25)
    11.0
    """
    return step + (1 - wait) * others * prompt / output_tokens


def time_to_first_token(*, prompt: float, unrecorded: float, others: float, wait: float) -> float:
    """Seconds from a request to its first token: its prompt, the host's launches, and other prompts.

    >>> time_to_first_token(prompt=30, unrecorded=5, others=4, wait=0.25)
    65.0
    """
    return prompt + unrecorded + wait * others * prompt


def queue_seconds(
    *, concurrency: float, admitted: float, output_tokens: float, tpot: float
) -> float:
    """Seconds that a request waits for a place where the caches of all do not fit.

    Of `concurrency` requests `admitted` run; a place is free again after an answer.

    >>> queue_seconds(concurrency=15, admitted=10, output_tokens=100, tpot=0.5)
    25.0
    >>> queue_seconds(concurrency=5, admitted=10, output_tokens=100, tpot=0.5)
    0.0
    """
    return max(concurrency / admitted - 1, 0) * output_tokens * tpot
