"""The look of all figures, on a desk and on a phone, in both schemes; the same bytes every time."""

import inspect
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from scripts.figures.palette import INK, in_the_dark
from scripts.figures.rows import as_csv, as_json, plain, points_of, rows_of
from scripts.records.record import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Canvas
else:
    Axes = Any  # for annotations: matplotlib is slow to import

Look = dict[str, Any]  # what matplotlib is told of an artist

SETTINGS: Look = {
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 13,
    "figure.facecolor": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 12,
    "grid.alpha": 0.35,
    "grid.color": INK,
    "grid.linewidth": 0.6,
    "lines.linewidth": 2,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "sixteen bytes",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


NARROW = 5.0  # inches wide: on a phone its text has the size of a caption's


class Figure:
    """A figure being drawn; once the block of `figure` has ended, it has its SVG and its data.

    A `narrow` one is for phones. `columns` gives data another name than their axis has. `rows` are the
    data where those of lines and bars alone would not say what is drawn. A drawing that is no matplotlib
    one sets `svg` itself.
    """

    def __init__(self, name: str, title: str, canvas: "Canvas", *, narrow: bool) -> None:
        self.name, self.title, self.canvas, self.narrow = name, title, canvas, narrow
        self.columns: dict[str, str] = {}
        self.rows: list[dict[str, Any]] = []
        self.svg = b""

    def axes(self, *position: int, **options: Any) -> Axes:
        """Axes at a position of the grid of subplots, alone by default."""
        return self.canvas.add_subplot(*position, **options)

    def legend(self, handles: Iterable[Any], columns: int, *, above: bool = False) -> None:
        """One legend for all axes, below them or above."""
        place: Any = f"outside {'upper' if above else 'lower'} center"
        self.canvas.legend(handles=list(handles), loc=place, ncols=columns, frameon=False)

    def files(self) -> dict[str, bytes]:
        """The drawing and its data, by path under docs/; of a narrow one the drawing alone."""
        svg = in_the_dark(self.svg)
        if self.narrow:
            return {f"figures/{self.name}-narrow.svg": svg}
        return {
            f"figures/{self.name}.svg": svg,
            f"figures/{self.name}.csv": as_csv(self.rows),
            f"figures/{self.name}.json": as_json(self.title, self.rows),
        }


@contextmanager
def drawing(
    name: str, title: str, *, width: float = 8, height: float, narrow: bool = False
) -> Iterator[Figure]:
    """A figure to draw, in inches, in the house style. `title` stands below it and names its data.

    Raises ValueError for a drawing without data.
    """
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the user's own style says
        for setting, value in SETTINGS.items():
            matplotlib.rcParams[setting] = value  # type: ignore[index]
        canvas = Canvas(figsize=(NARROW if narrow else width, height), layout="constrained")
        drawn = Figure(name, title, canvas, narrow=narrow)
        yield drawn
        if not drawn.svg:
            buffer = io.BytesIO()
            said = {"Date": None, "Creator": "Sixteen Bytes", "Title": title}
            drawn.canvas.savefig(buffer, format="svg", metadata=said)
            drawn.svg = _numbered(buffer.getvalue())
        drawn.rows = plain(drawn.rows) or rows_of(drawn.canvas, drawn.columns)


@dataclass(frozen=True)
class Exhibit:
    """A function that draws a figure: of nothing, of a `record`, or of all `records`.

    Of the records that `where` holds of, each is drawn as a figure of its own, whose name says
    "{device}": no page's chart becomes another device's. What is drawn of one record and depends on
    no device needs no such name, for there is one record of it.
    """

    draw: Callable[..., None]
    name: str
    title: str
    where: Callable[[Record], object]
    size: dict[str, float]

    def figures(self, records: Sequence[Record]) -> Iterator[Figure]:
        """The figures that these records of the room's experiment give, each wide and narrow."""
        found = [record for record in records if self.where(record)]
        match list(inspect.signature(self.draw).parameters)[1:]:
            case []:
                cases: list[tuple[Any, ...]] = [()]
            case ["records"]:
                cases = [(found,)] if found else []
            case _:
                cases = [(record,) for record in found]
                if "{" not in self.name and len(cases) > 1:
                    raise ValueError(f"{self.name}: of several devices, but its name says none")
        for case in cases:
            slug = case[0].folder if "{" in self.name else ""
            for narrow in (False, True):
                name = self.name.format(device=slug)
                with drawing(name, self.title, narrow=narrow, **self.size) as sheet:
                    self.draw(sheet, *case)
                yield sheet


def figure(
    name: str, title: str, *, where: Callable[[Record], object] = bool, **size: float
) -> Callable[[Callable[..., None]], Exhibit]:
    """Makes an Exhibit of a function that draws on the sheet it is given."""
    return lambda draw: Exhibit(draw, name, title, where, size)


def _numbered(svg: bytes) -> bytes:
    """The drawing with its clip paths numbered: their names are digests of unrounded positions,
    whose last bits differ from one processor to another."""
    names = dict.fromkeys(re.findall(rb'id="(p[0-9a-f]{10})"', svg))
    for number, name in enumerate(names, 1):
        svg = svg.replace(name, b"clip%d" % number)
    return svg


def label(
    axes: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **options: Any
) -> None:
    """Write beside a point, `offset` points away from it."""
    axes.annotate(text, at, xytext=offset, textcoords="offset points", **options)


def label_ends(axes: Axes, **options: Any) -> None:
    """Name each labelled line at its right end, in its colour, no name upon another."""
    from matplotlib.colors import to_hex

    apart = 1.3 * options.get("fontsize", 12)  # that of SETTINGS
    drawing = axes.get_figure(root=True)
    assert drawing is not None
    drawing.draw_without_rendering()  # which settles where the axes are
    points = 72 / drawing.dpi
    ends = [
        (points_of(line)[-1], str(line.get_label()), to_hex(line.get_color()))
        for line in axes.lines
        if line.get_transform() == axes.transData  # not one through the whole height
    ]
    ends.sort(key=lambda each: each[0][1])
    heights = [axes.transData.transform(end)[1] * points for end, *_ in ends]
    for (end, name, colour), was, now in zip(ends, heights, spread(heights, apart), strict=True):
        label_line(axes, *end, name, colour=colour, offset=(6, now - was), **options)


def spread(heights: list[float], apart: float) -> list[float]:
    """Rising heights moved as little as possible until each is `apart` from the one before it."""
    groups: list[list[float]] = []  # those that touch, each less the room of all below it
    for index, height in enumerate(heights):
        groups.append([height - index * apart])
        while len(groups) > 1 and fmean(groups[-2]) >= fmean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    moved = [fmean(group) for group in groups for _ in group]
    return [height + index * apart for index, height in enumerate(moved)]


def label_line(axes: Axes, x: float, y: float, text: str, *, colour: str, **options: Any) -> None:
    """Name a line where it is, in its own colour: no legend to look up."""
    offset = options.pop("offset", (6, 0))
    label(axes, text, (x, y), offset, color=colour, **{"va": "center", **options})
