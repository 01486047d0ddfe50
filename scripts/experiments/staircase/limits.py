"""What a record of the staircase must hold."""

from collections.abc import Iterator

from scripts.experiments.expected import Expected, Figures, until_not_run
from scripts.experiments.staircase.measure import ELEMENT_BYTES, VECTORS, steps
from scripts.records.record import Record


def _works(record: Record) -> Iterator[str]:
    for kind in record.parameters["kinds"]:
        sizes = record.parameters["bytes"]
        yield from until_not_run(record, [f"{kind}.sizes.{size}" for size in sizes])


def _follows(record: Record) -> Figures:
    for kind in record.parameters["kinds"]:
        vectors = VECTORS[kind] * ELEMENT_BYTES
        for place in _works(record):
            of, _, size = place.partition(".sizes.")
            if of == kind:
                yield f"{place}.bytes", int(size) // vectors * vectors
        cache = record.results["cache_bytes"]
        found = steps(record.results[kind]["sizes"], cache_bytes=cache)
        yield from ((f"{kind}.{name}", value) for name, value in found.items())


EXPECTED = Expected(
    sections=("cache_bytes", "disturbances_before", "disturbances_after"),
    works=_works,
    follows=_follows,
)
