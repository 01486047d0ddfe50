"""A table as data: what a spreadsheet wants in CSV, each cell's whole story in JSON.

`scripts/tables/table.py` makes it of a table that is rendered, `scripts/site/page_tables.py` of one that
stands in a page.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scripts.proof.units import UNITS, WORDS

Origin = tuple[str, str]  # "calc", "cite" or "record", and the expression
Teller = Callable[[Origin], Mapping[str, Any]]  # all that is known of an origin

LINK = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]]+)\]|\((?:<[^>]*>|[^()]*)\))")
MARKS = re.compile(r"`|\*\*|\{ ?[#.][^}]*\}|</?span[^>]*>")
BASES = ("B", "FLOP", "bit", "op", "Hz", "W", "J", "s")


@dataclass(frozen=True)
class Cell:
    """What a cell says; of a number its digits and unit, of a proven one its origin."""

    written: str
    digits: str = ""
    unit: str = ""
    origin: Origin | None = None


@dataclass(frozen=True)
class TableData:
    """Heads, rows, and the experiments by device whose records the rows of each device show."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    devices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def csv(self) -> bytes:
        """Numbers without commas; one unit in the head, or several in a column of their own."""
        heads: list[str] = []
        columns: list[list[str]] = []
        for head, cells in zip(self.columns, zip(*self.rows, strict=True), strict=True):
            units = {cell.unit for cell in cells if cell.digits}
            heads.append(_with_unit(head, *units) if len(units) == 1 else head)
            columns.append([_plain_digits(cell.digits) or cell.written for cell in cells])
            if len(units) > 1:
                heads.append(f"{head}, unit")
                columns.append([cell.unit for cell in cells])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([heads, *zip(*columns, strict=True)])
        return text.getvalue().encode()

    def json(self, name: str, told: Teller) -> bytes:
        """Rows of cells in the order of the columns, a row a line; `told` tells an origin whole."""
        head: dict[str, Any] = {"table": name, "columns": list(self.columns)}
        if self.devices:
            head["devices"] = {slug: list(names) for slug, names in self.devices.items()}
        rows = ",\n".join(f"  {_line([_described(c, told) for c in row])}" for row in self.rows)
        said = ",\n".join(f" {_line(name)}: {_line(value)}" for name, value in head.items())
        return f'{{\n{said},\n "rows": [\n{rows}\n ]\n}}\n'.encode()


def plain(text: str) -> str:
    """Markdown of a cell without its links and marks."""
    return MARKS.sub("", LINK.sub(r"\1", text)).replace("\\|", "|").strip()


def base_unit(unit: str) -> str:
    """The unit without its prefix, which values are in: "B/s" for "GB/s"; "" for plain counts."""
    if unit in WORDS or unit == "%":
        return ""
    measured, per, time = unit.partition("/")
    known = (base for base in BASES if measured in UNITS and measured.endswith(base))
    return next(known, measured) + per + time


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain_digits(digits: str) -> str:
    return digits.replace(",", "").replace("−", "-")


def _with_unit(head: str, unit: str) -> str:
    said = re.search(rf"(?<![\w/]){re.escape(unit)}(?![\w/])", head)
    return head if not unit or said else f"{head} ({unit})"


def _described(cell: Cell, told: Teller) -> dict[str, Any]:
    said: dict[str, Any] = {"written": cell.written}
    if cell.origin:
        origin = told(cell.origin)
        said |= {"value": origin.get("value"), "unit": base_unit(cell.unit), "origin": origin}
    elif cell.digits:
        said |= {"value": float(_plain_digits(cell.digits)), "unit": cell.unit}
    return said
