"""A table as an object: its columns, and in each cell words or a number with its origin.

The rooms of experiments and `scripts/exhibits` make tables row by row, from `Values`; the build writes
them as Markdown with their definitions, and as data.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Protocol

from scripts.proof.written import Written, named_unit, parse_written
from scripts.records.record import Record
from scripts.tables.data import Cell, TableData, plain

RECORD = re.compile(r"[\w.-]+/([\w-]+): ")  # what an expression names of a record
DIGITS = 6  # at most, of a fraction
Decimals = int | Callable[[float], int] | None


class Values(Protocol):
    """What expressions, recorded fields and citations are worth: an Evaluator over these records."""

    published: Mapping[str, Record]

    def calc(self, expression: str) -> float:
        """A calculation's value, in base units."""

    def record(self, place: str) -> float:
        """A recorded field's value, in base units."""

    def cite(self, expression: str) -> tuple[float | None, str]:
        """(a cited figure in base units, or None; the words that its link must hold)."""


@dataclass(frozen=True)
class Column:
    """A head; with an origin, its cells follow from what a row names: `record="{place}.bytes"`."""

    head: str
    calc: str = ""
    cite: str = ""
    record: str = ""
    unit: str = ""
    decimals: Decimals = None
    suffix: str = ""

    @property
    def named(self) -> set[str]:
        """What a row must name for a cell of this column."""
        template = self.calc + self.cite + self.record
        return {name for _, name, *_ in Formatter().parse(template) if name}


@dataclass(frozen=True)
class Number:
    """A number as it is written, with its origin: a kind, and an expression in base units."""

    kind: str
    expression: str
    digits: str
    unit: str = ""  # said by the column's head
    suffix: str = ""  # said by the cell

    @property
    def written(self) -> str:
        """Its digits and what follows them."""
        space = " " if self.suffix and self.suffix != "%" else ""
        return f"{self.digits}{space}{self.suffix}"

    @property
    def definition(self) -> str:
        """Its origin, as a page defines one."""
        unit = f" in {self.unit}" if self.unit else ""
        return f'#{self.kind} "{self.expression}{unit}"'


Part = str | Number
Row = list[list[Part]]  # cells, each of parts


class Table:
    """A table under construction. One whose first column is "device" is of measurements."""

    def __init__(self, *columns: str | Column, values: Values) -> None:
        self.columns = [Column(each) if isinstance(each, str) else each for each in columns]
        self.values = values
        self.rows: list[Row] = []
        self.notes: list[str] = []  # paragraphs below it
        self._device: list[Part] = []

    def of(self, experiment: str) -> list[tuple[str, Record]]:
        """The records of an experiment with their keys."""
        published = self.values.published.items()
        return [(key, record) for key, record in published if record.experiment == experiment]

    def each(self, experiment: str) -> Iterator[tuple[str, Record]]:
        """The same, where the first column is "device": rows made meanwhile are of that device."""
        for key, record in self.of(experiment):
            self._device = [f"`{record.folder}`"]
            yield key, record

    def row(self, *cells: Part | list[Part], **named: Any) -> None:
        """Add a row: words and numbers for the columns without an origin, the others by `named`.

        A column whose origin needs what is not named stays empty.
        """
        rest = iter([*([self._device] if self._device else []), *cells])
        row: Row = []
        for column in self.columns:
            if not column.named:
                cell = next(rest)
                row.append(cell if isinstance(cell, list) else [cell])
            elif column.named <= named.keys():
                row.append([self._follows(column, named)])
            else:
                row.append([""])
        assert next(rest, None) is None, "more cells than columns"
        self.rows.append(row)

    def _follows(self, column: Column, named: Mapping[str, Any]) -> Number:
        origin = {
            kind: getattr(column, kind).format(**named)
            for kind in ("calc", "cite", "record")
            if getattr(column, kind)
        }
        look = {"unit": column.unit, "decimals": column.decimals, "suffix": column.suffix}
        return self.number(**origin, **look)  # type: ignore[arg-type]

    def number(
        self, *, unit: str = "", decimals: Decimals = None, suffix: str = "", **origin: str
    ) -> Number:
        """A cell with the value of an origin: `calc=`, `cite=` or `record=` an expression.

        `unit` scales the value and stands in the column's head, `suffix` in the cell itself. Without
        `decimals` all digits are shown; a function gives them for the value in its unit. Raises
        ValueError when the expression has no value.
        """
        ((kind, expression),) = origin.items()
        value = self.value(**origin)
        if callable(decimals):
            decimals = decimals(value / _scale(unit, suffix))
        digits = written(value, unit=unit, suffix=suffix, decimals=decimals)
        return Number(kind, expression, digits, unit, suffix)

    def value(self, *, calc: str = "", cite: str = "", record: str = "") -> float:
        """The value of an origin, in base units."""
        if record:
            return self.values.record(record)
        if not cite or "=" in cite:  # a work's figure is in the citation itself
            return self.values.calc(calc or cite.partition("=")[2])
        found, _ = self.values.cite(cite)
        if found is None:
            raise ValueError(f"{cite} cites no number: name a registry's field")
        return found

    def markdown(self, prefix: str) -> str:
        """The table and, after it, the definitions of its numbers, labelled PREFIX-1, PREFIX-2, …"""
        labels: dict[str, str] = {}

        def cell(parts: list[Part]) -> str:
            return "".join(part if isinstance(part, str) else linked(part) for part in parts)

        def linked(number: Number) -> str:
            label = labels.setdefault(number.definition, f"{prefix}-{len(labels) + 1}")
            return f"[{number.written}][{label}]"

        heads = [column.head for column in self.columns]
        rows = [heads, ["---"] * len(heads), *([cell(parts) for parts in row] for row in self.rows)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        definitions = [f"[{label}]: {definition}" for definition, label in labels.items()]
        return "\n".join([*lines, "", *definitions]) + "\n"

    def data(self) -> TableData:
        """The table as data."""
        devices: dict[str, dict[str, None]] = {}
        if self.columns[0].head == "device":
            for row in self.rows:
                found = devices.setdefault(plain("".join(map(str, row[0]))), {})
                numbers = (part for cell in row for part in cell if isinstance(part, Number))
                for number in numbers:
                    found |= dict.fromkeys(RECORD.findall(number.expression))
        return TableData(
            [column.head for column in self.columns],
            [[_as_data(cell) for cell in row] for row in self.rows],
            {slug: list(names) for slug, names in devices.items()} if any(devices.values()) else {},
        )


def _as_data(parts: list[Part]) -> Cell:
    match parts:
        case [Number() as one]:
            origin = (one.kind, one.expression)
            return Cell(one.written, one.digits, one.suffix or one.unit, origin)
    return Cell(plain("".join(p if isinstance(p, str) else p.written for p in parts)))


def _scale(unit: str, suffix: str) -> float:
    """What one of them is worth. Words that are no unit, as in "209 tokens/s", scale nothing."""
    return named_unit(unit).scale if unit else parse_written(f"1 {suffix}").scale


def written(value: float, *, unit: str = "", suffix: str = "", decimals: int | None = None) -> str:
    """A number as pages write it: "3,350", "3.4e38". Without `decimals`, a fraction has up to six digits."""
    scale = _scale(unit, suffix)
    scaled = value if scale == 1 else value / scale
    power = decimals is None and "e" in repr(scaled)
    if decimals is None:
        digits = repr(scaled).partition("e")[0].partition(".")[2]
        whole = 0 if power or not scaled else math.floor(math.log10(abs(scaled)))
        decimals = 0 if digits == "0" else min(len(digits), max(0, DIGITS - 1 - whole))
    return Written(0, 0, ",", decimals, scale, power=power).format(value)


def three_digits(value: float) -> int:
    """Decimals that show three digits of a value, or fewer where it has no more."""
    exact = f"{value:.12g}".partition(".")[2]
    return min(len(exact), max(0, 2 - math.floor(math.log10(abs(value)))))
