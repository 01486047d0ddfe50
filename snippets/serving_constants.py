"""What keeps real cards and engines below a datasheet, as eight constants that were fitted."""

from dataclasses import dataclass

from snippets.sources import Source


@dataclass(frozen=True, kw_only=True)
class ServingConstants:
    """Shares of a datasheet's rates, seconds, and rows of a matrix product.

    A product with `half_rate_rows` rows reaches half of the share of the operations that one with
    very many does. `launch` is a kernel's time in a step that is recorded once and replayed (a CUDA
    graph), `unrecorded` that of an operation of a prompt, which the host launches one by one;
    `exchange` is what an exchange between cards takes with nothing in it. Where an engine mixes
    prompts with decoding, a new request waits for `mixed_wait` of the other prompts' time before its
    first token; the rest passes in pauses of those that decode.
    """

    memory_share: float
    operation_share: float
    half_rate_rows: float
    launch: float
    exchange: float
    link_share: float
    unrecorded: float
    mixed_wait: float
    sources: dict[str, Source]


NAMES = (
    "memory_share",
    "operation_share",
    "half_rate_rows",
    "launch",
    "exchange",
    "link_share",
    "unrecorded",
    "mixed_wait",
)


def _fitted(how: str) -> dict[str, Source]:
    url = "https://github.com/ai-dynamo/aiconfigurator"
    source = Source("Fitted on published serving runs", how, url, "2026-12-01")
    return dict.fromkeys(NAMES, source)


# Whoever changes the formulas fits them again: scripts/predictions.py serving --fit prints what would
# stand here. SERVING is fitted on all runs of docs/data/serving-runs.csv. SERVING_VALIDATED were
# fitted before, without the models and cards that are held back, and not touched since.
SERVING = ServingConstants(
    memory_share=0.901,
    operation_share=0.622,
    half_rate_rows=62.2,
    launch=4.76e-6,
    exchange=5.04e-6,
    link_share=0.387,
    unrecorded=9.86e-5,
    mixed_wait=0.0902,
    sources=_fitted("all eight at once, on every run that has a prediction"),
)
SERVING_VALIDATED = ServingConstants(
    memory_share=0.868,
    operation_share=0.617,
    half_rate_rows=27.1,
    launch=4.46e-6,
    exchange=7.98e-6,
    link_share=0.387,
    unrecorded=1.06e-4,
    mixed_wait=0.108,
    sources=_fitted("all eight at once, on every such run but those held back"),
)
SERVING_LEAST = ServingConstants(
    memory_share=0.86,
    operation_share=0.583,
    half_rate_rows=56.3,
    launch=4.67e-6,
    exchange=3.47e-6,
    link_share=0.362,
    unrecorded=9.34e-5,
    mixed_wait=0.0831,
    sources=_fitted("the least value when any one of the models is left out"),
)
SERVING_GREATEST = ServingConstants(
    memory_share=0.935,
    operation_share=0.646,
    half_rate_rows=65.2,
    launch=4.9e-6,
    exchange=7.76e-6,
    link_share=0.431,
    unrecorded=1.05e-4,
    mixed_wait=0.105,
    sources=_fitted("the greatest value when any one of the models is left out"),
)


@dataclass(frozen=True, kw_only=True)
class ServingInterval:
    """Measured over predicted: nine in ten of the runs that were held back lie between these."""

    tpot_low: float
    tpot_high: float
    ttft_low: float
    ttft_high: float
    sources: dict[str, Source]


# The 5th and the 95th percentile with SERVING_VALIDATED; tests/predictions/test_serving.py has them again.
HELD_BACK = ServingInterval(
    tpot_low=0.753,
    tpot_high=1.571,
    ttft_low=0.262,
    ttft_high=2.350,
    sources=dict.fromkeys(
        ("tpot_low", "tpot_high", "ttft_low", "ttft_high"),
        _fitted("two models and two cards held back: scripts/predictions.py serving")["launch"],
    ),
)
