"""Where a figure was read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """One place in one document, which states a figure.

    `read` is the ISO date on which the figure was read in the document, or in a stored copy of its
    text. It is "" where the figure was entered from memory and has not been re-read: then the
    document is where it should be found, and nobody has looked.
    """

    title: str
    section: str
    url: str
    read: str
