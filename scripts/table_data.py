"""A table as data: what a spreadsheet wants in CSV, each cell's whole story in JSON."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markdown.extensions.toc import slugify

from scripts.origins import Origin
from scripts.proof.page import Page
from scripts.proof.written import UNITS, WORDS

# A cell that is a number: its digits, then at most a unit or words of scale.
NUMERIC = re.compile(r"([-+−]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?) ?(%|[A-Za-zµ]+(?:/[A-Za-zµ]+)?)?")
SEPARATOR = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]]+)\]|\((?:<[^>]*>|[^()]*)\))")
MARKS = re.compile(r"`|\*\*|\{ ?[#.][^}]*\}|</?span[^>]*>")
BASES = ("B/s", "B", "FLOP/s", "FLOP", "bit/s", "bit", "op/s", "op", "Hz", "W", "J", "s")


@dataclass(frozen=True)
class Cell:
    """What a cell says, the label of its proof, and for a number its digits and unit."""

    written: str
    label: str = ""
    number: str = ""
    unit: str = ""


@dataclass(frozen=True)
class TableData:
    """A table: the heading above it (or ""), its columns, its rows, and its lines in the page."""

    heading: str
    columns: list[str]
    rows: list[list[Cell]]
    lines: list[int]


def named_tables(page: Page, folder: str) -> dict[str, TableData]:
    """The tables of numbers that stand in a page itself: FOLDER/HEADING, then FOLDER/HEADING-2."""
    proven = {reference.line for reference in page.references}
    found: dict[str, TableData] = {}
    for table in tables_of(page):
        if proven.isdisjoint(table.lines):
            continue
        name = f"{folder}/{slugify(table.heading, '-')}"
        again = sum(held.heading == table.heading for held in found.values())
        found[f"{name}-{again + 1}" if again else name] = table
    return found


def tables_of(page: Page) -> list[TableData]:
    """The tables of a page, in their order."""
    found: list[TableData] = []
    heading, before = "", ""
    fenced = {line for each in page.fences for line in range(each.line, page.line_of(each.end) + 1)}
    for number, line in enumerate(page.source.splitlines(), 1):
        if number in fenced:
            continue
        if line.startswith("|"):
            cells = [cell.strip() for cell in SEPARATOR.split(line.strip()[1:-1])]
            if not before.startswith("|"):
                found.append(TableData(heading, [_plain(cell) for cell in cells], [], []))
            elif not re.fullmatch(r"[-:| ]+", line):
                found[-1].rows.append([_cell(page, cell) for cell in cells])
            found[-1].lines.append(number)
        elif line.startswith("#"):
            heading = _plain(line.lstrip("#"))
        before = line
    return found


def as_csv(table: TableData) -> bytes:
    """Numbers without thousands commas; one unit in the head, or several in a column of their own."""
    heads: list[str] = []
    columns: list[list[str]] = []
    for head, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        units = {cell.unit for cell in cells if cell.number}
        heads.append(_with_unit(head, *units) if len(units) == 1 else head)
        columns.append([cell.number or cell.written for cell in cells])
        if len(units) > 1:
            heads.append(f"{head}, unit")
            columns.append([cell.unit for cell in cells])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *zip(*columns, strict=True)])
    return text.getvalue().encode()


def as_json(name: str, table: TableData, origins: Mapping[str, Origin]) -> bytes:
    """Rows of cells in the order of the columns. `origins`: where numbers come from, by label."""
    rows = [[_described(cell, origins) for cell in row] for row in table.rows]
    document = {"table": name, "columns": table.columns, "rows": rows}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _with_unit(head: str, unit: str) -> str:
    said = re.search(rf"(?<![\w/]){re.escape(unit)}(?![\w/])", head)
    return head if not unit or said else f"{head} ({unit})"


def _described(cell: Cell, origins: Mapping[str, Origin]) -> dict[str, Any]:
    said: dict[str, Any] = {"written": cell.written}
    if cell.label in origins:
        origin = origins[cell.label]
        said["value"] = origin.get("value")
        said["unit"] = base_unit(cell.unit)
        said["origin"] = origin
    elif cell.number:
        said["value"] = float(cell.number)
        said["unit"] = cell.unit
    return said


def base_unit(unit: str) -> str:
    """The unit without its prefix, which values are in: "B/s" for "GB/s"; "" for plain counts."""
    if unit in WORDS or unit == "%":
        return ""
    return next((base for base in BASES if unit in UNITS and unit.endswith(base)), unit)


def _cell(page: Page, text: str) -> Cell:
    links = list(LINK.finditer(text))
    written = _plain(text)
    label = links[0][2] or "" if len(links) == 1 and links[0][0] == text.strip("* ") else ""
    if "`" in text or not (match := NUMERIC.fullmatch(written)):
        return Cell(written, label)
    definition = page.definitions.get(label)
    _, said, unit = (definition.expression if definition else "").rpartition(" in ")
    number = match[1].replace(",", "").replace("−", "-")
    return Cell(written, label, number, match[2] or (unit if said else ""))


def _plain(text: str) -> str:
    return MARKS.sub("", LINK.sub(r"\1", text)).replace("\\|", "|").strip()
