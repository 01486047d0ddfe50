"""Tables of proven numbers: each cell is evaluated from the expression that it is defined by."""

from collections.abc import Mapping

from scripts.core.faults import BadInput
from scripts.proof.evaluate import Evaluator, Wrong
from scripts.proof.written import Written, parse_written, unit_scale
from scripts.records.record import Record


class Table:
    """A Markdown table that is built row by row, with the definitions of its numbers."""

    def __init__(self, name: str, *columns: str, records: Mapping[str, Record]) -> None:
        self.name = name
        self._columns = columns
        self._evaluator = Evaluator(records, {})
        self._device: tuple[str, ...] = ()
        self._rows: list[tuple[str, ...]] = []
        self._labels: dict[str, str] = {}

    def row(self, *cells: str) -> None:
        """Add a row. Cells are Markdown; those from `number` are proven."""
        self._rows.append((*self._device, *cells))

    def of(self, record: Record) -> None:
        """Let the rows that follow begin with a record's device, for the column "device"."""
        self._device = (f"`{record.device['slug']}`",)

    def __bool__(self) -> bool:
        """Whether it has rows."""
        return bool(self._rows)

    def number(
        self,
        kind: str,
        expression: str,
        *,
        unit: str = "",
        decimals: int | None = None,
        suffix: str = "",
    ) -> str:
        """A cell with the value of an expression ("calc", "cite" or "record").

        `unit` scales the value and stands in the column's head; without `decimals` all digits of
        the value are shown. `suffix` is written after the number, for a unit that stands in the
        cell itself. Raises BadInput when the expression has no value.
        """
        value = self.value(kind, expression)
        text = written(value, unit=unit, suffix=suffix, decimals=decimals)
        definition = f'#{kind} "{expression}{f" in {unit}" if unit else ""}"'
        label = self._labels.setdefault(definition, f"t-{self.name}-{len(self._labels) + 1}")
        space = " " if suffix and suffix != "%" else ""
        return f"[{text}{space}{suffix}][{label}]"

    def value(self, kind: str, expression: str) -> float:
        """The value that a cell with this expression shows, in base units."""
        try:
            if kind == "cite" and "=" in expression:  # a work's figure is in the citation itself
                return self._evaluator.calc(expression.partition("=")[2])
            if kind == "cite":
                cited, _ = self._evaluator.cite(expression)
                if cited is None:
                    raise Wrong(f"{expression} cites no number", "name a registry's field")
                return cited
            if kind == "record":
                return self._evaluator.record(expression)
            return self._evaluator.calc(expression)
        except Wrong as error:
            raise BadInput(f"docs/tables/{self.name}.md", 0, str(error), error.remedy) from None

    def markdown(self) -> str:
        """The table and, after it, its definitions."""
        rows = [self._columns, tuple("---" for _ in self._columns), *self._rows]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        definitions = [f"[{label}]: {definition}" for definition, label in self._labels.items()]
        return "\n".join([*lines, "", *definitions]) + "\n"


def written(value: float, *, unit: str = "", suffix: str = "", decimals: int | None = None) -> str:
    """A number as pages write it: "3,350", "3.4e38". Without `decimals`, with all its digits.

    `suffix` scales as a page reads it: words that are no unit, as in "209 tokens/s", do not.
    """
    scale = unit_scale(unit) if unit else parse_written(f"1 {suffix}").scale
    scaled = value if scale == 1 else value / scale
    power = decimals is None and "e" in repr(scaled)
    if decimals is None:
        digits = repr(scaled).partition("e")[0].partition(".")[2]
        decimals = 0 if digits == "0" else len(digits)
    style = Written(0, 0, text=",", decimals=decimals, scale=scale, power=power)
    return style.format(value)
