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
# On the runs of docs/data/serving-runs.csv that are not held back. Whoever changes the formulas fits
# them again: scripts/predictions.py serving --fit prints what would stand here.
FIT = Source(
    "Fitted on published serving runs",
    "all eight at once, on every run of docs/data/serving-runs.csv but the models and cards held back",
    "https://github.com/ai-dynamo/aiconfigurator",
    "2026-12-01",
)
LEFT_OUT = Source(
    "Fitted on published serving runs",
    "the least or the greatest value when any one of the models is left out",
    "https://github.com/ai-dynamo/aiconfigurator",
    "2026-12-01",
)

SERVING = ServingConstants(
    memory_share=0.876,
    operation_share=0.606,
    half_rate_rows=25.4,
    launch=4.54e-6,
    exchange=7.62e-6,
    link_share=0.387,
    unrecorded=1.06e-4,
    mixed_wait=0.106,
    sources=dict.fromkeys(NAMES, FIT),
)
SERVING_LEAST = ServingConstants(
    memory_share=0.86,
    operation_share=0.579,
    half_rate_rows=22.8,
    launch=3.88e-6,
    exchange=6.17e-6,
    link_share=0.325,
    unrecorded=9.51e-5,
    mixed_wait=0.0986,
    sources=dict.fromkeys(NAMES, LEFT_OUT),
)
SERVING_GREATEST = ServingConstants(
    memory_share=0.892,
    operation_share=0.641,
    half_rate_rows=121,
    launch=4.84e-6,
    exchange=1.05e-5,
    link_share=0.421,
    unrecorded=1.22e-4,
    mixed_wait=0.118,
    sources=dict.fromkeys(NAMES, LEFT_OUT),
)
