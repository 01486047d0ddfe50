"""What a record of collectives must hold."""

from collections.abc import Iterator

from scripts.experiments.expected import Expected, Figures
from scripts.experiments.parallelism_collectives.measure import PASSES
from scripts.records.record import Record
from snippets.parallelism import all_reduce_bytes

# What "This machine" shows of it.
SHOWN = r".*\.bytes_sent_per_second"


def _works(record: Record) -> Iterator[str]:
    for name in PASSES:
        yield from (f"{name}.bytes_{size}" for size in record.parameters["sizes"])


def _follows(record: Record) -> Figures:
    for name, passes in PASSES.items():
        for size in record.parameters["sizes"]:
            sent = all_reduce_bytes(size, record.parameters["ranks"]) * passes / 2
            yield f"{name}.bytes_{size}.bytes_sent", sent


EXPECTED = Expected(sections=("ranks", *PASSES), works=_works, follows=_follows)
