"""Experiments that measure time hand it a journal and a function that takes one sample; it takes rounds
of samples until one is steady enough, and gives back the round with its quartiles and what it rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scripts.records.samples import quantity

if TYPE_CHECKING:
    from scripts.records.journal import Journal

# Quartiles further apart than this part of the median, and a round of samples is taken again.
NOISE_LIMIT = 0.10
MOST_ROUNDS = 3


@dataclass(frozen=True)
class SteadySamples:
    """The quietest round of samples: `noise` is its quartiles' distance over its median."""

    samples: list[Any]
    noise: float
    rejected: int

    def as_record(self) -> dict[str, Any]:
        """How noisy it was, how many rounds were rejected, and whether this one should be too."""
        return {
            "noise": self.noise,
            "rejected_rounds": self.rejected,
            "too_noisy": self.noise > NOISE_LIMIT,
        }


def steady_samples(
    run: Journal,
    key: str,
    take: Callable[[], Any],
    *,
    count: int,
    value: Callable[[Any], float] = float,
    weight: float = 1,
) -> SteadySamples:
    """Take `count` samples, again up to three times while they are noisy; the quietest round.

    `value` picks the number to judge out of a sample. A sample that is not above zero, as after a
    clock that jumped, makes its round the noisiest possible.
    """
    best: SteadySamples | None = None
    for rejected in range(MOST_ROUNDS):
        name = key if rejected == 0 else f"{key}, round {rejected + 1}"
        samples = run.samples(name, take, count=count, weight=weight if rejected == 0 else 0)
        noise = _noise([value(sample) for sample in samples])
        if best is None or noise < best.noise:
            best = SteadySamples(samples, noise, rejected)
        if noise <= NOISE_LIMIT:
            break
    assert best is not None
    return best


def _noise(values: list[float]) -> float:
    if min(values) <= 0:
        return 1e9
    spread = quantity(values)
    return float((spread["upper_quartile"] - spread["lower_quartile"]) / spread["median"])
