"""The data of a figure as rows, taken from the artists that are drawn: they cannot differ from it.

A row names its panel (where a figure has several), its series, and its values under the words of the
axes. What a reader could not make sense of in that form, a drawing gives as rows of its own.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Value = str | int | float
Row = dict[str, Value]


def rows_of(figure: "Figure", columns: Mapping[str, str]) -> list[Row]:
    """What all axes of a figure show. `columns` calls those otherwise whose axis names no unit.

    Raises ValueError for lines and bars without a label, and for artists that no row can be made of.
    """
    several = len(figure.axes) > 1
    rows = []
    for axes in figure.axes:
        name = _words(str(axes.get_label()) or axes.get_title(loc="left"))
        panel: Row = {"panel": name} if several else {}
        x, y = _words(axes.get_xlabel()) or "x", _words(axes.get_ylabel()) or "y"
        for row in (*_bars(axes, x, y), *_lines(axes, x, y)):
            rows.append(panel | {columns.get(name, name): value for name, value in row.items()})
        if axes.collections:
            raise ValueError(
                f"a figure holds a {type(axes.collections[0]).__name__}: give its rows"
            )
    if not rows:
        raise ValueError("a figure without lines or bars: give its rows")
    return rows


def as_csv(rows: Sequence[Row]) -> bytes:
    """A table with a column for each name, in the order in which the names first come."""
    text = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    table = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def as_json(title: str, rows: Sequence[Row]) -> bytes:
    """The same with the figure's title, one row a line."""
    lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    words = json.dumps(title, ensure_ascii=False)
    return f'{{\n  "title": {words},\n  "rows": [\n{lines}\n  ]\n}}\n'.encode()


def _lines(axes: "Axes", x: str, y: str) -> Iterator[Row]:
    whole = sorted(axes.lines, key=lambda line: line.get_transform() != axes.transData)
    for line in whole:  # those through the whole width or height after those that have points
        name, points = _name(line), points_of(line)
        across, up = line.get_transform().contains_branch_seperately(axes.transData)
        if not across:  # a line through the whole width, at one height
            yield {"series": name, y: _number(points[0][1])}
        elif not up:
            yield {"series": name, x: _number(points[0][0])}
        else:
            for point in points:
                yield {"series": name, x: _number(point[0]), y: _number(point[1])}


def points_of(line: "Line2D") -> list[tuple[float, float]]:
    """The points of a line as drawn."""
    points: Any = line.get_xydata()
    return [(float(x), float(y)) for x, y in points]


def _bars(axes: "Axes", x: str, y: str) -> Iterator[Row]:
    """Horizontal bars: each with the words of the tick that is nearest to it."""
    for bars in axes.containers:
        ticks = dict(zip(axes.get_yticks(), axes.get_yticklabels(), strict=True))
        for bar in cast("BarContainer", bars):
            row: Row = {"series": _name(bars)}
            if ticks:
                middle = bar.get_y() + bar.get_height() / 2
                row[y if y != "y" else "bar"] = _words(
                    ticks[min(ticks, key=lambda at: abs(at - middle))].get_text()
                )
            yield row | {x: _number(bar.get_width())}


def _name(artist: Any) -> str:
    name = str(artist.get_label() or "")
    if not name or name.startswith("_"):
        raise ValueError(f"{type(artist).__name__} without a label: its data would have no name")
    return _words(name)


def _words(text: str) -> str:
    return " ".join(text.split())


def _number(value: Any) -> Value:
    """A number of plain Python, whole where it is, without the noise of its last digits."""
    number = float(f"{value:.10g}")
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def plain(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Rows that a drawing gave, with numbers of plain Python."""
    return [
        {name: value if isinstance(value, str) else _number(value) for name, value in row.items()}
        for row in rows
    ]
