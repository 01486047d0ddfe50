"""Experiments hand all samples of one quantity to `quantity`; back come median, quartiles and count."""

import statistics
from collections.abc import Sequence
from typing import Any

FEWEST_SAMPLES = 20


def quantity(samples: Sequence[float]) -> dict[str, Any]:
    """A sampled quantity: the samples with their median and quartiles (inclusive method)."""
    quartiles = statistics.quantiles(samples, n=4, method="inclusive") if samples[1:] else samples
    return {
        "samples": list(samples),
        "median": statistics.median(samples),
        "lower_quartile": quartiles[0],
        "upper_quartile": quartiles[-1],
        "count": len(samples),
    }
