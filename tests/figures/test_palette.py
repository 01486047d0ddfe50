"""The contrast of each drawing, as it is published, with a light page and with a dark one."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts.figures.palette import COLOURS, DARK, ON_COLOUR, in_the_dark
from tests.rendered import ROOT

DRAWINGS = sorted((ROOT / "docs/figures").glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
TEXT, MARK = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
GRID = 0.35  # the opacity of lines that carry nothing


def papers() -> list[str]:
    """The backgrounds of the site, light and dark."""
    css = (ROOT / "docs/assets/css/site.css").read_text("utf-8")
    return re.findall(r"--paper: (#\w{6});", css)


def channels(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def luminance(parts: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(colour: str, ground: str, opacity: float = 1) -> float:
    under = channels(ground)
    over = [opacity * c + (1 - opacity) * u for c, u in zip(channels(colour), under, strict=True)]
    low, high = sorted((luminance(over), luminance(under)))
    return (high + 0.05) / (low + 0.05)


def painted(drawing: Path) -> Iterator[tuple[str, float, bool]]:
    """(colour, opacity, whether it is text's) of all that a drawing paints."""
    root = ElementTree.fromstring(drawing.read_text("utf-8"))
    parents = {child: parent for parent in root.iter() for child in parent}
    for element in root.iter():
        look = dict(
            part.split(": ", 1) for part in re.split("; ?", element.get("style", "")) if part
        )
        around = parents.get(element)
        text = any(each.tag == f"{SVG}text" for each in element.iter()) or (
            around is not None and around.tag == f"{SVG}text"
        )
        for what in ("fill", "stroke"):
            if look.get(what, "none") != "none":
                opacity = float(look.get(f"{what}-opacity", look.get("opacity", 1)))
                yield look[what], opacity, text


def test_the_colours_of_text_on_colours_contrast_in_both_schemes() -> None:
    light, dark = papers()
    for colour in COLOURS:
        assert contrast(ON_COLOUR, colour) >= TEXT
        assert contrast(DARK[ON_COLOUR], DARK[colour]) >= TEXT
        assert contrast(colour, light) >= TEXT
        assert contrast(DARK[colour], dark) >= TEXT


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)
def test_all_that_a_drawing_paints_contrasts_in_both_schemes(drawing: Path) -> None:
    said = drawing.read_text("utf-8")
    found = set(painted(drawing))
    assert sum(text for *_, text in found) >= 1
    for colour, opacity, text in found:
        assert colour in DARK, "a colour that stays as it is in the dark"
        assert f': {colour}"]{{' in said, "the drawing does not say what it is in the dark"
        if opacity > GRID and colour != ON_COLOUR:  # whose ground is another colour
            for paper, own in zip(papers(), (colour, DARK[colour]), strict=True):
                assert contrast(own, paper, opacity) >= (TEXT if text else MARK), (own, opacity)


def test_a_drawing_says_what_its_own_colours_are_in_the_dark() -> None:
    ink, *_ = DARK
    svg = f'<svg><defs></defs><path style="stroke: {ink}"/></svg>'.encode()
    rule = f'[style*="stroke: {ink}"]{{stroke:{DARK[ink]}!important}}'
    sheet = f"<style>@media (prefers-color-scheme: dark){{{rule}}}</style>"
    assert in_the_dark(svg) == svg.replace(b"</defs>", f"{sheet}\n </defs>".encode())
