"""What a record of pipeline schedules must hold."""

from collections.abc import Iterator

from scripts.experiments.expected import Expected
from scripts.records.record import Record

# What "This machine" shows of it.
SHOWN = r".*\.(gradient_difference|idle_fraction)"


def _works(record: Record) -> Iterator[str]:
    for ranks, runs in record.parameters["runs"].items():
        for run in runs:
            yield f"ranks_{ranks}.{run['schedule']}.micro_batches_{run['micro_batches']}"


EXPECTED = Expected(
    sections=(),
    works=_works,
    sampled=("step_seconds", "idle_fraction"),
    fewest=lambda record: int(record.parameters["repeats"]),
)
