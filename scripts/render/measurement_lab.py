"""The measurement lab's tables and figures: memory (chapter 2) and speed (chapter 3)."""

from collections.abc import Mapping

from scripts.records.record import Record
from scripts.render import activation_lab, speed_lab, training_lab


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """All of them by path under docs/."""
    parts = (training_lab, activation_lab, speed_lab)
    return {path: data for part in parts for path, data in part.render(records).items()}
