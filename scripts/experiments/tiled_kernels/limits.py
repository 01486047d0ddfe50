"""What a record of the Triton kernels must hold: all of them, and their bytes by the formulas."""

from collections.abc import Iterator

from scripts.experiments.expected import (
    Expected,
    Figures,
    Objections,
    above_memory,
    above_peak,
)
from scripts.records.record import Record
from snippets.hardware import Accelerator

KERNELS = ("matmul", "softmax", "attention", "int4_matvec")


def _follows(record: Record) -> Figures:
    """In the interpreter what was counted is what the formula says."""
    for name in KERNELS:
        found = record.results.get(name, {})
        if "counted_bytes" in found:
            yield f"{name}.counted_bytes", found["bytes"]


def _works(record: Record) -> Iterator[str]:
    found = record.results
    return (name for name in KERNELS if "seconds" in found.get(name, {}))


def _too_fast(record: Record, card: Accelerator, count: int) -> Objections:
    """A tile that many programs load comes from the cache, so bytes by the formula may beat memory."""
    cache = record.device["cache_bytes"] or 0
    for place in _works(record):
        found = record.results[place]
        rate = found["operations_per_second"]
        yield from above_peak(place, rate, card.dense_fp16, card, count)
        if place == "int4_matvec":  # each weight is loaded once
            rows, columns, *_ = record.parameters[place]
            weights = rows * columns / 2
            moved = weights / found["seconds"]["median"]
            yield from above_memory(place, moved, weights, cache, card, count)


EXPECTED = Expected(sections=KERNELS, works=_works, follows=_follows, impossible=_too_fast)
