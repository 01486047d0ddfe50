"""What a record of decoding must hold and can never hold."""

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.experiments.decoding.measure import LARGEST_BUFFER_BYTES
from scripts.experiments.expected import (
    CACHES,
    Expected,
    Figures,
    Objections,
    at,
    until_not_run,
)
from scripts.records.record import Record
from snippets.bandwidth import batched_decode_ceiling
from snippets.hardware import Accelerator

# A step cannot be faster than reading what it must read. Both are medians, and noise is in both.
CEILING_MARGIN = 1.1


def _works(record: Record) -> Iterator[str]:
    for model in (f"models.{name}" for name in record.parameters["models"]):
        if at(record.results, f"{model}.not_run"):
            continue
        yield from until_not_run(record, [f"{model}.plain"])
        if record.device["kind"] == "cuda":
            yield from until_not_run(record, [f"{model}.compiled"])
        batches = [f"{model}.batch.{batch}" for batch in record.parameters["batches"]]
        yield from until_not_run(record, batches)


def _follows(record: Record) -> Figures:
    for place in _works(record):
        model = at(record.results, ".".join(place.split(".")[:2]))
        found = at(record.results, place)
        yield from ((f"{place}.{name}", value) for name, value in _step(found, model))


def _step(found: Mapping[str, Any], model: Mapping[str, Any]) -> Figures:
    """A decoding step beside the reading done just before it."""
    weights, cache = model["read_weight_bytes"], model["cache_bytes_per_sequence"]
    buffer = min(weights, LARGEST_BUFFER_BYTES) // 4 * 4
    read_bytes = round(weights / buffer) * buffer
    reading = read_bytes / found["read_seconds"]["median"]
    yield "bytes", weights + found["sequences"] * cache
    yield "read_bytes_per_second", reading
    yield "products_bytes_per_second", weights / found["products_seconds"]["median"]
    ceiling = batched_decode_ceiling(
        memory_bandwidth=reading,
        weight_bytes=weights,
        cache_bytes=cache,
        sequences=found["sequences"],
    )
    yield "ceiling_tokens_per_second", ceiling
    pairs = zip(found["seconds"]["samples"], found["read_seconds"]["samples"], strict=True)
    shares = [found["bytes"] / step / (read_bytes / read) for step, read in pairs]
    yield from ((f"of_ceiling.samples.{index}", share) for index, share in enumerate(shares))


def _too_fast(record: Record, card: Accelerator, count: int) -> Objections:
    yield from EXPECTED.above_the_memory(record, card, count)
    cache = record.device["cache_bytes"] or 0
    for place in _works(record):
        found = at(record.results, place)
        value = found["of_ceiling"]["median"]
        # A small model's weights and the buffer that stands for them may lie in the cache differently.
        if found["bytes"] > CACHES * cache and value > CEILING_MARGIN:
            yield (
                f"{place}.of_ceiling is {value:.2f}: faster than reading the same bytes",
                "measure again on a quiet machine; reading and stepping take turns",
            )


EXPECTED = Expected(
    sections=("disturbances_before", "models", "disturbances_after"),
    works=_works,
    sampled=("seconds", "read_seconds", "products_seconds", "dispatch_seconds", "of_ceiling"),
    follows=_follows,
    impossible=_too_fast,
)
