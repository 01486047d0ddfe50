"""Where a figure was read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """One place in one document; `read` is the ISO date on which it was read."""

    title: str
    section: str
    url: str
    read: str
