"""The measurement lab's tables and figures: memory (chapter 2) and speed (chapter 3)."""

from collections.abc import Mapping

from scripts.records import Record
from scripts.render import memory_lab, speed_lab


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """All of them by path under docs/."""
    return memory_lab.render(records) | speed_lab.render(records)
