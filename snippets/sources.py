"""Where a figure was read: what registries keep beside each figure, and pages show with it."""

from dataclasses import dataclass

READINGS = ("document", "two quotations", "one quotation", "unread")
UNREAD = "entered from memory, not checked in the document"
AGREE = 0.005  # figures that differ by rounding alone


@dataclass(frozen=True)
class Source:
    """One place in one document, which states a figure.

    `read` is the ISO date on which the figure was read in the document, or in a stored copy of its
    text. It is "" where the figure was entered from memory and has not been re-read: then the
    document is where it should be found, and nobody has looked. `quoted` says that the document is
    not of those who make the thing, but repeats what they say. `value` is what stands there, in
    base units, and `others` are further places that were looked up.
    """

    title: str
    section: str
    url: str
    read: str
    quoted: bool = False
    value: float | None = None
    others: tuple["Source", ...] = ()

    @property
    def reading(self) -> str:
        """The figure's reading, one of READINGS: two quotations are those of two documents."""
        read = [each for each in (self, *self.others) if each.read and not self.differs(each)]
        if any(not each.quoted for each in read):
            return "document"
        quotations = len({each.title for each in read})
        return ("unread", "one quotation", "two quotations")[min(quotations, 2)]

    @property
    def seen(self) -> str:
        """Whether anybody has looked the figure up, where else, and what stands there, in words."""
        told = f"read {self.read}" if self.read else "not read there"
        for other in self.others:
            differs = "says otherwise in" if self.differs(other) else "also in"
            told += f"; {differs} {other.title}: {other.section}"
        if self.reading == "unread":
            return f"{told}: entered from memory, not checked" if self.others else UNREAD
        return told

    def differs(self, other: "Source") -> bool:
        """Whether another place states another figure: whole numbers are counts, which nobody rounds."""
        if self.value is None or other.value is None:
            return False
        agree = 0 if isinstance(self.value, int) else AGREE
        return abs(self.value - other.value) > agree * self.value
