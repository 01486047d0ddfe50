"""Whether a measured record can be true: whole, what its samples give, no faster than its device.

The check of the published records calls `implausible`, and publishing a local one does. Transcribed
records are not judged: what others report is theirs.
"""

import datetime
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scripts import experiments
from scripts.core.faults import Fault
from scripts.devices import device as devices
from scripts.experiments import RANKS
from scripts.experiments.expected import (
    AGAIN,
    Expected,
    Figures,
    Objections,
    at,
    numbers,
)
from scripts.records.record import RECORDS, Record
from snippets.hardware import ACCELERATORS, Accelerator
from snippets.parallelism import all_reduce_bytes

# What follows from samples follows exactly, but for the last bits of another machine's arithmetic.
ROUNDING = 1e-9

# A CPU's entry is of one socket; a machine may have two.
SOCKETS = 2

# A card may show its dies as devices, each with its share of the memory, and the driver keeps some.
DIES = 3

# A clock that shows an earlier day than that of this line is wrong, and judges no date.
WRITTEN = datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)


def implausible(record: Record) -> list[Fault]:
    """What speaks against a record, as faults of its published file."""
    if record.provenance["kind"] != "measured":
        return []
    path = (RECORDS / f"{record.key}.json").as_posix()
    return [Fault(path, 0, message, remedy) for message, remedy in _objections(record)]


def expected(experiment: str) -> Expected | None:
    """What a record of an experiment must hold; None where there is no such experiment."""
    if experiment.endswith(RANKS) and expected(experiment.removesuffix(RANKS)):
        return Expected(
            sections=("ranks", "all_reduce"), works=lambda _: iter(["all_reduce"]), follows=_summed
        )
    limits = experiments.part(experiment, "limits")
    return limits.EXPECTED if limits else None


def _summed(record: Record) -> Figures:
    found = record.results["all_reduce"]
    yield "all_reduce.bytes_sent", all_reduce_bytes(found["buffer_bytes"], found["ranks"])


def _objections(record: Record) -> Objections:
    held = expected(record.experiment)
    if held is None:
        yield f"no experiment is called {record.experiment!r}", "use one that --list shows"
        return
    yield from _circumstances(record)
    try:
        faults = list(_device(record))
        if record.experiment.endswith(RANKS):
            faults += _of_ranks(record)
            record = replace(record, results=record.results | {"ranks": {}})
        faults += _of_results(record, held)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        faults = [(f"what was measured cannot be told from it: {error!r}", AGAIN)]
    yield from faults


def _of_results(record: Record, held: Expected) -> Objections:
    missing = list(_whole(record, held))
    yield from missing or (*_as_computed(record, held), *_too_fast(record, held))


def _of_ranks(record: Record) -> Objections:
    """The results of each rank, held against what a record of its own would be."""
    name = record.experiment.removesuffix(RANKS)
    held = expected(name)
    assert held is not None
    for rank, results in record.results["ranks"].items():
        if "not_run" not in results:
            own = replace(record, experiment=name, results=results)
            for message, remedy in _of_results(own, held):
                yield f"ranks.{rank}.{message}", remedy


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


def _whole(record: Record, held: Expected) -> Objections:
    """Nothing is missing that the experiment writes, and every time is above zero."""
    for place in held.filled(record):
        if at(record.results, place) is None:
            yield f"{place} is missing: every record of {record.experiment} has it", AGAIN
    for place in held.works(record):
        if at(record.results, place) is None:
            yield f"{place} is missing: its parameters say that it was measured", AGAIN
    for place, fewest in held.samples(record):
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
        if place not in held.works(record):
            yield f"{place} was timed, but the parameters do not say so", AGAIN
    for place, value in numbers(record.results):
        if not math.isfinite(value):
            yield f"{place} is {value}", AGAIN


def _as_computed(record: Record, held: Expected) -> Objections:
    for place, value in held.figures(record):
        found = at(record.results, place)
        if not follows(found, value):
            yield f"{place} is {found}, but the record's own samples give {value}", AGAIN


def follows(found: object, expected: float | None) -> bool:
    """Whether a figure is what others give."""
    if found is None or expected is None:
        return found is expected
    return isinstance(found, int | float) and math.isclose(
        found, expected, rel_tol=ROUNDING, abs_tol=1e-15
    )


def _too_fast(record: Record, held: Expected) -> Objections:
    judge = held.impossible or held.above_the_memory
    yield from judge(record, *_ceilings(record.device))


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


def _timed(results: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in results.items():
        if isinstance(value, Mapping):
            if "seconds" in value:
                yield prefix + name
            yield from _timed(value, f"{prefix}{name}.")
