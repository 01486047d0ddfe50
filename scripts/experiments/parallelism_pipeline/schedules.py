"""The schedules that are drawn and tabled: as functions, and as a page writes them."""

from collections.abc import Callable

from snippets.pipeline_schedule import Task, gpipe, one_forward_one_backward, zero_bubble

CHUNKS = {"interleaved": 2}
SCHEDULES: dict[str, tuple[str, Callable[[int, int], list[list[Task]]]]] = {
    "gpipe": ("GPipe", gpipe),
    "one_forward_one_backward": ("1F1B", one_forward_one_backward),
    "interleaved": ("interleaved", lambda ranks, count: one_forward_one_backward(ranks, count, 2)),
    "zero_bubble": ("zero-bubble", zero_bubble),
}


def expression(schedule: str, ranks: int, micro_batches: int) -> str:
    """The orders of a schedule as a page writes them."""
    if schedule == "interleaved":
        return f"one_forward_one_backward({ranks}, {micro_batches}, {CHUNKS[schedule]})"
    return f"{schedule}({ranks}, {micro_batches})"
