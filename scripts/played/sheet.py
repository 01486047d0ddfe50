"""What pictures are made of: controls, and marks of SVG whose colours the page's stylesheet gives."""

from dataclasses import dataclass

from scripts.figures.palette import BLUE, GREEN, INK, ON_COLOUR, ORANGE


@dataclass(frozen=True)
class Control:
    """A slider: its name in the address, its label, what its positions are called, and where it starts."""

    name: str
    label: str
    options: list[str]
    start: int


@dataclass(frozen=True)
class Picture:
    """The marks of a picture, and what it shows in a sentence or two."""

    marks: str
    said: str


def line(points: list[list[float]], tone: str) -> str:
    """A line through points, in pixels from the upper left corner."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" class="{tone}"/>'


def dot(x: float, y: float, radius: float, tone: str) -> str:
    """A dot around a place."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{tone}"/>'


def box(x: float, y: float, width: float, height: float, tone: str) -> str:
    """A box to the right of a place and below it."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{tone}"/>'
    )


def text(x: float, y: float, words: str, tone: str = "", anchor: str = "middle") -> str:
    """Words on a baseline; `anchor` says which of them stands at the place: start, middle or end."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{tone}">{words}</text>'


def as_svg(picture: Picture, width: int, height: int, title: str) -> bytes:
    """A picture as a file of its own, in the colours of all figures, each where it is used: so a page can
    say what they are in the dark (`scripts.figures.palette.in_the_dark`)."""
    points = 72 / 96
    tones = {"blue": BLUE, "orange": ORANGE, "green": GREEN, "inside": ON_COLOUR, "quiet": INK}
    marks = picture.marks.replace('class=""', 'class="quiet"')
    for name, colour in tones.items():
        marks = marks.replace(f'class="{name}"', f'style="fill: {colour}"')
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'width="{width * points:g}pt" height="{height * points:g}pt" viewBox="0 0 {width} {height}">'
        f"<metadata><dc:title>{title}</dc:title></metadata>"
        f"<defs><style>text{{font:13px sans-serif}}</style></defs>{marks}</svg>\n"
    ).encode()
