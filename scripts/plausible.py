"""Whether a measured record can be true: whole, what its samples give, no faster than its device.

Transcribed records are not judged: what others report is theirs.
"""

import datetime
import math
from collections.abc import Iterator, Mapping
from typing import Any

from scripts.core.faults import Fault
from scripts.devices import device as devices
from scripts.recomputed import SECTIONS, at, figures, sampled, sections, works
from scripts.records.record import RECORDS, Record
from snippets.hardware import ACCELERATORS, Accelerator

# A card's clock may rise above the one that its datasheet's peak assumes: an RTX 3060's recorded
# product beat it by 9 %. The clock of its memory does not rise.
CLOCK_MARGIN = 1.25

# A step cannot be faster than reading what it must read. Both are medians, and noise is in both.
CEILING_MARGIN = 1.1

# What follows from samples follows exactly, but for the last bits of another machine's arithmetic.
ROUNDING = 1e-9

# A CPU's entry is of one socket; a machine may have two.
SOCKETS = 2

# A card may show its dies as devices, each with its share of the memory, and the driver keeps some.
DIES = 3

# Fewer bytes than this many times the last-level cache may have lain in it.
CACHES = 4

# A clock that shows an earlier day than that of this line is wrong, and judges no date.
WRITTEN = datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)

AGAIN = "measure again, and propose the record as it was written"

Objections = Iterator[tuple[str, str]]


def implausible(record: Record) -> list[Fault]:
    """What speaks against a record, as faults of its published file."""
    if record.provenance["kind"] != "measured":
        return []
    path = (RECORDS / f"{record.key}.json").as_posix()
    return [Fault(path, 0, message, remedy) for message, remedy in _objections(record)]


def _objections(record: Record) -> Objections:
    if record.experiment not in SECTIONS:
        yield f"no experiment is called {record.experiment!r}", "use one that --list shows"
        return
    yield from _circumstances(record)
    try:
        faults = list(_device(record))
        faults += list(_whole(record)) or [*_as_computed(record), *_too_fast(record)]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        faults = [(f"what was measured cannot be told from it: {error!r}", AGAIN)]
    yield from faults


def _circumstances(record: Record) -> Objections:
    """When it was measured, by which software, of which code."""
    said = {
        "when": record.when,
        "software.python": record.software["python"],
        "software.torch": record.software["torch"],
    }
    for name, value in said.items():
        if value is None:
            yield f"a measured record without {name}", AGAIN
    if record.when:
        try:
            when = datetime.datetime.fromisoformat(record.when)
        except ValueError:
            yield f"{record.when} is no date", AGAIN
            return
        now = max(datetime.datetime.now(datetime.UTC), WRITTEN)
        if when > now + datetime.timedelta(days=1):
            yield f"measured at {record.when}, which is in the future", "set the clock; " + AGAIN


def _device(record: Record) -> Objections:
    """A name that the device itself gives, and an entry for each card."""
    slug, name = record.device["slug"], record.device["name"]
    called = devices.slug(name, record.device["memory_bytes"])
    if record.device["kind"] == "cpu":
        called = devices.cpu_slug(name, record.device["cores"])
    if slug != called:
        yield f"the device's slug is {slug!r}, but that of {name} is {called!r}", AGAIN
    if record.device["kind"] == "cuda":
        card = ACCELERATORS.get(slug)
        if card is None:
            yield (
                f"no accelerator is called {slug!r} ({name})",
                "add a row to docs/data/hardware/cards.csv, each figure with its source",
            )
        elif not card.memory / DIES <= record.device["memory_bytes"] <= card.memory:
            yield (
                f"{record.device['memory_bytes']:,} bytes of memory, but {card.name} has "
                f"{card.memory:,}",
                "correct the registry, or the device's name",
            )


def _whole(record: Record) -> Objections:
    """Nothing is missing that the experiment writes, and every time is above zero."""
    for place in sections(record):
        if at(record.results, place) is None:
            yield f"{place} is missing: every record of {record.experiment} has it", AGAIN
    for place in works(record):
        if at(record.results, place) is None:
            yield f"{place} is missing: its parameters say that it was measured", AGAIN
    for place, fewest in sampled(record):
        if at(record.results, place.rpartition(".")[0]) is None:
            continue  # said above
        samples = at(record.results, f"{place}.samples") or []
        if len(samples) < fewest:
            yield (
                f"{place} has {len(samples)} samples, fewer than {fewest}",
                "measure again: all samples belong into the record",
            )
        elif "seconds" in place and not min(samples) > 0:
            yield f"{place} has a sample of {min(samples)} s", AGAIN
    for place in _timed(record.results):
        if place not in works(record):
            yield f"{place} was timed, but the parameters do not say so", AGAIN
    for place, value in _numbers(record.results):
        if not math.isfinite(value):
            yield f"{place} is {value}", AGAIN


def _as_computed(record: Record) -> Objections:
    for place, expected in figures(record):
        found = at(record.results, place)
        if not _same(found, expected):
            yield f"{place} is {found}, but the record's own samples give {expected}", AGAIN


def _same(found: object, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return isinstance(found, int | float) and math.isclose(
        found, expected, rel_tol=ROUNDING, abs_tol=1e-15
    )


def _too_fast(record: Record) -> Objections:
    card, count = _ceilings(record.device)
    if record.experiment == "bandwidth":
        yield from _above_the_datasheet(record, card, count)
    else:
        yield from _above_the_memory(record, card, count)
    if record.experiment == "decoding":
        for place, value in _numbers(record.results):
            if place.endswith((".of_ceiling", ".of_ceiling.median")) and value > CEILING_MARGIN:
                yield (
                    f"{place} is {value:.2f}: faster than reading the same bytes",
                    "measure again on a quiet machine; reading and stepping take turns",
                )


def _ceilings(device: Mapping[str, Any]) -> tuple[Accelerator, int]:
    """The entry that limits a device, and how many of it there may be.

    A CPU without an entry is held against the fastest memory of all: it has none of its own to say.
    """
    if device["kind"] == "cuda" and device["slug"] in ACCELERATORS:
        return ACCELERATORS[device["slug"]], 1
    words = set(device["slug"].split("-"))
    for name, card in ACCELERATORS.items():
        if card.kind == "cpu" and words.issuperset(name.split("-")):
            return card, SOCKETS
    return max(ACCELERATORS.values(), key=lambda card: card.memory_bandwidth), 1


def _above_the_datasheet(record: Record, card: Accelerator, count: int) -> Objections:
    remedy = "measure again; check the device's name, the buffers' size and the registry"
    peaks = {
        "fp32": card.dense_tf32 or card.dense_fp32,
        "fp16": card.dense_fp16,
        "bf16": card.dense_bf16,
    }
    for place, value in _numbers(record.results):
        if place.endswith("bytes_per_second") and value > count * card.memory_bandwidth:
            yield (
                f"{place} is {value / 1e9:,.0f} GB/s, above the "
                f"{count * card.memory_bandwidth / 1e9:,.0f} of {_several(count, card)}",
                remedy,
            )
        peak = peaks.get(place.partition(".")[0])
        if peak and place.endswith("operations_per_second") and value > CLOCK_MARGIN * count * peak:
            yield (
                f"{place} is {value / 1e12:,.1f} TFLOP/s, above the "
                f"{count * peak / 1e12:,.1f} of {_several(count, card)} even at a higher clock",
                remedy,
            )


def _above_the_memory(record: Record, card: Accelerator, count: int) -> Objections:
    """What is several times as large as the cache comes from memory, but for what the cache holds."""
    cache = record.device["cache_bytes"] or 0
    for place in works(record):
        found = at(record.results, place)
        moved = found.get("bytes") or found.get("weight_bytes") or 0
        if moved <= CACHES * cache:
            continue
        from_memory = found["bytes_per_second"] * (moved - cache) / moved
        if from_memory > count * card.memory_bandwidth:
            yield (
                f"{place}.bytes_per_second is {found['bytes_per_second'] / 1e9:,.0f} GB/s, above the "
                f"{count * card.memory_bandwidth / 1e9:,.0f} of {_several(count, card)} "
                "even with a full cache",
                "measure again; check the device's name and the registry",
            )


def _several(count: int, card: Accelerator) -> str:
    return card.name if count == 1 else f"{count} × {card.name}"


def _timed(results: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in results.items():
        if isinstance(value, Mapping):
            if "seconds" in value:
                yield prefix + name
            yield from _timed(value, f"{prefix}{name}.")


def _numbers(results: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in results.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield prefix + name, float(value)
