"""The look of all figures: legible on a light and on a dark page, and the same bytes every time."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The grey that contrasts equally (4:1) with white and with the dark page's background.
INK = "#7e7e7e"

# From Okabe and Ito's palette, which colour-blind readers tell apart; the blue a little lighter, to
# be read on a dark page too.
BLUE = "#2586c5"
VERMILLION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#cc79a7"
ORANGE = "#e69f00"
SKY = "#56b4e9"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)

# Text on any of these colours, in either scheme.
ON_COLOUR = "#111111"

SETTINGS: dict[str, Any] = {
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


class Sheet:
    """A figure being drawn; `svg` holds its bytes once the block of `figure` has ended."""

    def __init__(self, drawing: "Figure") -> None:
        self.figure = drawing
        self.svg = b""

    def axes(self, *position: int, **options: Any) -> "Axes":
        """Axes at a position of the grid of subplots, alone by default."""
        return self.figure.add_subplot(*position, **options)


@contextmanager
def figure(title: str, *, width: float = 8, height: float) -> Iterator[Sheet]:
    """A sheet to draw on, in inches, in the house style. `title` is for screen readers."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the user's own style says
        for name, value in SETTINGS.items():
            matplotlib.rcParams[name] = value  # type: ignore[index]
        sheet = Sheet(Figure(figsize=(width, height), layout="constrained"))
        yield sheet
        buffer = io.BytesIO()
        sheet.figure.savefig(
            buffer,
            format="svg",
            metadata={"Date": None, "Creator": "Sixteen Bytes", "Title": title},
        )
        sheet.svg = buffer.getvalue()


def without_frame(axes: "Axes") -> None:
    """Hide the frame, ticks and labels of axes that show a drawing, not a plot."""
    axes.set_axis_off()


def label_line(axes: "Axes", x: float, y: float, text: str, *, colour: str, **options: Any) -> None:
    """Name a line where it is, in its own colour: no legend to look up."""
    axes.annotate(
        text,
        (x, y),
        color=colour,
        textcoords="offset points",
        **{"xytext": (6, 0), "va": "center", **options},
    )
