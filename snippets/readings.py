"""How many of a registry's figures were read, and where: what pages say of them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from snippets.sources import READINGS


def count_readings(entries: Mapping[str, Any], *readings: str) -> int:
    """How many figures of a registry have one of some READINGS; without any, how many there are.

    >>> from snippets.hardware import ACCELERATORS
    >>> read = count_readings(ACCELERATORS, "document", "two quotations", "one quotation")
    >>> read + count_readings(ACCELERATORS, "unread") == count_readings(ACCELERATORS)
    True
    """
    found = Counter(each.reading for entry in entries.values() for each in entry.sources.values())
    return sum(found[reading] for reading in readings or READINGS)
