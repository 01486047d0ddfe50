"""What a record of training memory must hold."""

from scripts.experiments.expected import Expected
from scripts.records.record import Record


def _sections(record: Record) -> tuple[str, ...]:
    """What an operating system counts for a process is no figure of a card."""
    on_cpu = ("resident",) if record.device["kind"] == "cpu" else ()
    return ("recipes", "timelines", *on_cpu, "large")


EXPECTED = Expected(sections=_sections)
