"""What a record of an experiment must hold, beside what it may: `EXPECTED` in a room's `limits.py`.

`scripts/experiments/plausibility.py` holds published records against it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.devices.noisy_samples import NOISE_LIMIT
from scripts.records.record import Record
from scripts.records.samples import FEWEST_SAMPLES
from snippets.hardware import Accelerator

Figures = Iterator[tuple[str, float]]  # a place in the results, and what must stand there
Objections = Iterator[tuple[str, str]]  # what cannot be, and what to do about it

# Fewer bytes than this many times the last-level cache may have lain in it.
CACHES = 4

# A card's clock may rise above the one that its datasheet's peak assumes: an RTX 3060's recorded
# product beat it by 9 %. The clock of its memory does not rise.
CLOCK_MARGIN = 1.25

AGAIN = "measure again, and propose the record as it was written"
RATES = {
    "bytes": "bytes_per_second",
    "weight_bytes": "bytes_per_second",
    "bytes_sent": "bytes_sent_per_second",
    "operations": "operations_per_second",
    "sequences": "tokens_per_second",
}


def _nothing(record: Record) -> Iterator[Any]:
    return iter(())


@dataclass(frozen=True)
class Expected:
    """All functions raise KeyError, TypeError, … for parameters or results that do not say it.

    `sections`: places that are always filled. `works`: places of all work that is timed, as far as
    the device could do it. `sampled`: what is sampled of each, at least as often as `fewest` says.
    `follows`: figures that follow from others. `impossible`: what is faster than the device's card,
    of which there may be several.
    """

    sections: Iterable[str] | Callable[[Record], Iterable[str]]
    works: Callable[[Record], Iterator[str]] = _nothing
    sampled: tuple[str, ...] = ("seconds",)
    fewest: Callable[[Record], int] = lambda record: FEWEST_SAMPLES
    follows: Callable[[Record], Figures] = _nothing
    impossible: Callable[[Record, Accelerator, int], Objections] | None = None

    def filled(self, record: Record) -> Iterable[str]:
        """The sections; none where the record says that it was left out."""
        if "left_out" in record.results:
            return ()
        return self.sections(record) if callable(self.sections) else self.sections

    def samples(self, record: Record) -> Iterator[tuple[str, int]]:
        """The place of all that must be sampled, and how often at least."""
        for place in self.works(record):
            yield from ((f"{place}.{name}", self.fewest(record)) for name in self.sampled)

    def figures(self, record: Record) -> Figures:
        """Each figure that follows from others: its place, and what it must be."""
        for place in self.works(record):
            found = at(record.results, place)
            if "seconds" in found:
                yield from ((f"{place}.{name}", value) for name, value in rates(found))
        yield from self.follows(record)

    def above_the_memory(self, record: Record, card: Accelerator, count: int) -> Objections:
        """What is several times as large as the cache comes from memory, but for what the cache holds."""
        cache = record.device["cache_bytes"] or 0
        for place in self.works(record):
            found = at(record.results, place)
            moved = found.get("bytes") or found.get("weight_bytes") or 0
            if moved > CACHES * cache:
                yield from above_memory(place, found["bytes_per_second"], moved, cache, card, count)


def above_memory(
    place: str, rate: float, moved: float, cache: float, card: Accelerator, count: int
) -> Objections:
    """Bytes moved at a rate that memory cannot give, even if a full cache gave its share of them.

    What a pass left in the cache the next may find there, so that share never came from memory.
    """
    from_memory = moved - min(cache, moved / 2)
    if rate * from_memory / moved > count * card.memory_bandwidth:
        yield (
            f"{place}.bytes_per_second is {rate / 1e9:,.0f} GB/s, above the "
            f"{count * card.memory_bandwidth / 1e9:,.0f} of {several(count, card)} "
            "even with a full cache",
            "measure again; check the device's name, the buffers' size and the registry",
        )


def above_peak(
    place: str, rate: float, peak: float | None, card: Accelerator, count: int
) -> Objections:
    """Operations at a rate above a datasheet's peak by more than a clock may be."""
    if peak and rate > CLOCK_MARGIN * count * peak:
        yield (
            f"{place}.operations_per_second is {rate / 1e12:,.1f} TFLOP/s, above the "
            f"{count * peak / 1e12:,.1f} of {several(count, card)} even at a higher clock",
            "measure again; check the device's name and the registry",
        )


def at(results: Any, place: str) -> Any:
    """What stands at a dotted place; None where nothing does."""
    for step in place.split("."):
        if isinstance(results, list):
            results = results[int(step)]
        else:
            results = results.get(step) if isinstance(results, Mapping) else None
    return results


def until_not_run(record: Record, places: Iterable[str]) -> Iterator[str]:
    """The places before the first that the device could not do."""
    for place in places:
        if at(record.results, f"{place}.not_run"):
            return
        yield place


def rates(found: Mapping[str, Any]) -> Figures:
    """Rates at the median of the seconds, and how noisy those are."""
    seconds = found["seconds"]
    for count, rate in RATES.items():
        if count in found:
            yield rate, found[count] / seconds["median"]
    if "noise" in found and "read_seconds" not in found:
        spread = seconds["upper_quartile"] - seconds["lower_quartile"]
        yield "noise", spread / seconds["median"]
    if "noise" in found:
        yield "too_noisy", found["noise"] > NOISE_LIMIT


def numbers(results: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """All numbers outside of lists, with their places."""
    for name, value in results.items():
        if isinstance(value, Mapping):
            yield from numbers(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield prefix + name, float(value)


def several(count: int, card: Accelerator) -> str:
    """How a message calls one card or more."""
    return card.name if count == 1 else f"{count} × {card.name}"
