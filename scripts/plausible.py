"""Whether a measured record can be true: no faster than its device, with all samples.

Transcribed records are not judged: what others report is theirs.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.faults import Fault
from scripts.records import RECORDS, Record
from scripts.timing import FEWEST_SAMPLES
from snippets.hardware import ACCELERATORS, Accelerator

# Experiments whose every quantity is a time that was sampled.
TIMED = ("bandwidth", "decoding", "parallelism-collectives", "quantization-speed", "staircase")

# A card's clock may rise above the one that its datasheet's peak assumes: an RTX 3060's recorded
# product beat it by 9 %. The clock of its memory does not rise.
CLOCK_MARGIN = 1.25

# A step cannot be faster than reading what it must read. Both are medians, and noise is in both.
CEILING_MARGIN = 1.1


def implausible(record: Record) -> list[Fault]:
    """What speaks against a record, as faults of its published file."""
    if record.provenance["kind"] != "measured":
        return []
    path = (RECORDS / f"{record.key}.json").as_posix()
    return [Fault(path, 0, message, remedy) for message, remedy in _objections(record)]


def _objections(record: Record) -> Iterator[tuple[str, str]]:
    slug = record.device["slug"]
    card = ACCELERATORS.get(slug)
    if record.device["kind"] == "cuda":
        if card is None:
            yield (
                f"no accelerator is called {slug!r} ({record.device['name']})",
                "add it to snippets/hardware, each figure with its source",
            )
        elif record.device["memory_bytes"] > card.memory:
            yield (
                f"{record.device['memory_bytes']:,} bytes of memory, but {card.name} has "
                f"{card.memory:,}",
                "correct the registry, or the device's name",
            )
    if record.experiment in TIMED:
        for place, count in _samples(record.results):
            if count < FEWEST_SAMPLES:
                yield (
                    f"{place} has {count} samples, fewer than {FEWEST_SAMPLES}",
                    "measure again: all samples belong into the record",
                )
    if card is not None and record.experiment == "bandwidth":
        yield from _above_the_datasheet(record, card)
    if record.experiment == "decoding":
        for place, value in _numbers(record.results):
            if place.endswith(".of_ceiling") and value > CEILING_MARGIN:
                yield (
                    f"{place} is {value:.2f}: faster than reading the same bytes",
                    "measure again on a quiet machine; reading and stepping take turns",
                )


def _above_the_datasheet(record: Record, card: Accelerator) -> Iterator[tuple[str, str]]:
    remedy = "measure again; check the device's name, the buffers' size and the registry"
    peaks = {"fp32": card.dense_tf32, "fp16": card.dense_fp16, "bf16": card.dense_bf16}
    for place, value in _numbers(record.results):
        if place.endswith("bytes_per_second") and value > card.memory_bandwidth:
            yield (
                f"{place} is {value / 1e9:,.0f} GB/s, above the {card.memory_bandwidth / 1e9:,.0f} "
                f"of {card.name}",
                remedy,
            )
        peak = peaks.get(place.partition(".")[0])
        if peak and place.endswith("operations_per_second") and value > CLOCK_MARGIN * peak:
            yield (
                f"{place} is {value / 1e12:,.1f} TFLOP/s, above the {peak / 1e12:,.1f} of "
                f"{card.name} even at a higher clock",
                remedy,
            )


def _samples(results: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, int]]:
    """The place of every time, and how many samples it has; none where there is just a number."""
    for name, value in results.items():
        if isinstance(value, Mapping) and "samples" in value:
            yield prefix + name, len(value["samples"])
        elif isinstance(value, Mapping) and name != "between":  # computed from sampled times
            yield from _samples(value, f"{prefix}{name}.")
        elif name == "seconds":
            yield prefix + name, 0


def _numbers(results: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in results.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield prefix + name, float(value)
