"""What a page holds, once it has been parsed: regions that do not overlap, and faults of form.

`parse_page` makes a Page; what judges it reads the typed regions and never the source's Markdown.
Offsets count from the start of the source, `line` from 1.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property

from scripts.core.faults import Fault


@dataclass(frozen=True)
class Fence:
    """A code block. `line` is that of its opening; `start` and `end` delimit its body."""

    language: str
    line: int
    start: int
    end: int
    body: str


@dataclass(frozen=True)
class Printed:
    """A `python` fence and what the page says it prints (None when nothing stands there)."""

    code: Fence
    output: Fence | None


@dataclass(frozen=True)
class Reference:
    """A proven number: `[text][label]`; `start` is the offset of the text."""

    text: str
    label: str
    line: int
    start: int


@dataclass(frozen=True)
class Definition:
    """Where a number comes from: `[label]: #kind "expression"`."""

    label: str
    kind: str
    expression: str
    line: int


@dataclass(frozen=True)
class Formula:
    """A formula; `start` is the offset of its TeX."""

    tex: str
    display: bool
    line: int
    start: int


@dataclass(frozen=True)
class Tag:
    """An HTML tag; `start` and `end` delimit it, and `text` is all of it."""

    name: str
    line: int
    start: int
    end: int
    text: str


@dataclass
class Page:
    """All that a page holds, and what is wrong with its form. `regions` are (kind, start, end)."""

    path: str
    source: str
    regions: list[tuple[str, int, int]] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    printed: list[Printed] = field(default_factory=list)
    embeds: list[tuple[int, str]] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    definitions: dict[str, Definition] = field(default_factory=dict)
    formulas: list[Formula] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def line_of(self, offset: int) -> int:
        """The 1-based line of an offset into the source."""
        return bisect_left(self._ends, offset) + 1

    @cached_property
    def _ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.source)]

    def fault(self, line: int, message: str, remedy: str) -> None:
        """Note that something about the page's form is wrong."""
        self.faults.append(Fault(self.path, line, message, remedy))
