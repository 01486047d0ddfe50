"""What a record of training memory must hold."""

from collections.abc import Iterable

from scripts.experiments.expected import Expected
from scripts.records.record import Record


def _sections(record: Record) -> Iterable[str]:
    yield from ("recipes", "timelines", "large")
    if record.device["kind"] == "cpu":  # whose process's memory the operating system counts
        yield "resident"


EXPECTED = Expected(sections=_sections)
