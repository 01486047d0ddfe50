"""The tables that stand in a page itself, as data: from its source, where its proofs are.

`scripts/site/page_data.py` writes their files, `scripts/site/page_sources.py` has pages offer them.
"""

import re
from dataclasses import dataclass, field

from markdown.extensions.toc import slugify

from scripts.proof.numbers import split_unit
from scripts.proof.page import Page
from scripts.tables.data import LINK, Cell, TableData, plain

# A cell that is a number: its digits, then at most a unit or words of scale.
NUMERIC = re.compile(r"([-+−]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?) ?(%|[A-Za-zµ]+(?:/[A-Za-zµ]+)?)?")
SEPARATOR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class PageTable:
    """A table: the heading above it (or ""), its columns and rows, and its lines in the page."""

    heading: str
    columns: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def data(self) -> TableData:
        """Its columns and rows, as they are offered."""
        return TableData(self.columns, self.rows)


def named_tables(page: Page, folder: str) -> dict[str, PageTable]:
    """The tables of numbers that stand in a page itself: FOLDER/HEADING, then FOLDER/HEADING-2."""
    proven = {reference.line for reference in page.references}
    found: dict[str, PageTable] = {}
    for table in tables_of(page):
        if proven.isdisjoint(table.lines):
            continue
        name = f"{folder}/{slugify(table.heading, '-')}"
        again = sum(held.heading == table.heading for held in found.values())
        found[f"{name}-{again + 1}" if again else name] = table
    return found


def tables_of(page: Page) -> list[PageTable]:
    """The tables of a page, in their order."""
    found: list[PageTable] = []
    heading, before = "", ""
    fenced = {line for each in page.fences for line in range(each.line, page.line_of(each.end) + 1)}
    for number, line in enumerate(page.source.splitlines(), 1):
        if number in fenced:
            continue
        if line.startswith("|"):
            cells = [cell.strip() for cell in SEPARATOR.split(line.strip()[1:-1])]
            if not before.startswith("|"):
                found.append(PageTable(heading, [plain(cell) for cell in cells]))
            elif not re.fullmatch(r"[-:| ]+", line):
                found[-1].rows.append([_cell(page, cell) for cell in cells])
            found[-1].lines.append(number)
        elif line.startswith("#"):
            heading = plain(line.lstrip("#"))
        before = line
    return found


def _cell(page: Page, text: str) -> Cell:
    links = list(LINK.finditer(text))
    whole = len(links) == 1 and links[0][0] == text.strip("* ")
    definition = page.definitions.get(links[0][2] or "") if whole else None
    expression, unit = split_unit(definition.expression) if definition else ("", "")
    origin = (definition.kind, expression) if definition else None
    written = plain(text)
    if "`" in text or not (match := NUMERIC.fullmatch(written)):
        return Cell(written, origin=origin)
    return Cell(written, match[1], match[2] or unit, origin)
