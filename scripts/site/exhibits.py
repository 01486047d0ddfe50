"""Tables and figures with their data one click away.

An image of docs/figures/ alone in its paragraph becomes a figure, as does one that a lab draws: it opens
the drawing by itself, and its caption offers the drawing and its data. Below each embedded table of
docs/tables/ stands the same for the table (scripts/site/page_sources.py sees to those that a page holds
itself); one of measurements shows a device at a time. Stock Markdown says all that this needs:
`![what it shows](../figures/NAME.svg)` and `--8<-- "docs/tables/NAME.md"`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from scripts.site.device_tabs import by_device

ROOT = Path(__file__).resolve().parents[2]
FIGURE = re.compile(r"(?:.*/)?figures/([\w-]+)\.svg")
EMBED = re.compile(r'--8<-- "docs/tables/([\w/-]+)\.md"')
SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"')
PIXELS_PER_POINT = 96 / 72
TITLE = "data-title"


class ExhibitError(ValueError):
    """A figure that nothing draws."""


def opening(name: str) -> str:
    """What begins a block of tables with data; `name` is that of the first one's files."""
    return f'<div class="exhibit" data-table="{name}" markdown>'


class ExhibitPreprocessor(Preprocessor):
    """Put each embedded table into a block that says its name."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines of a page, each embedded table between the tags of its block."""
        marked: list[str] = []
        for line in lines:
            if match := EMBED.fullmatch(line):
                marked += ["", opening(match[1]), "", line, "", "</div>", ""]
            else:
                marked.append(line)
        return marked


class ExhibitTreeprocessor(Treeprocessor):
    """Offer below each table and figure its data, and each device of a table by itself."""

    def run(self, root: Element) -> None:
        """Change a page's tree in place; ExhibitError for a figure that nothing draws."""
        parents = {child: parent for parent in root.iter() for child in parent}
        for block in list(root.iter("div")):
            if name := block.attrib.pop("data-table", ""):
                for number, table in enumerate(list(block.iter("table")), 1):
                    one = name if number == 1 else f"{name}-{number}"
                    _offer_below(table, parents[table], one)
                    by_device(table, parents[table], one)
        for paragraph in list(root.iter("p")):
            if _is_figure(paragraph):
                _make_figure(paragraph)


def _is_figure(paragraph: Element) -> bool:
    """Whether a paragraph consists of a drawing alone: of docs/figures/, or one that says its title."""
    if [child.tag for child in paragraph] != ["img"]:
        return False
    words = (paragraph.text or "") + (paragraph[0].tail or "")
    drawn = FIGURE.fullmatch(paragraph[0].get("src", "")) or TITLE in paragraph[0].attrib
    return bool(drawn) and not words.strip()


def _make_figure(paragraph: Element) -> None:
    """Turn an image's paragraph into a figure, in place."""
    image = paragraph[0]
    address = image.get("src", "")
    published = FIGURE.fullmatch(address)
    if published:
        image.attrib |= _published(published[1])
    place = f"/figures/{published[1]}" if published else address.removesuffix(".svg")
    title = image.attrib.pop(TITLE)
    paragraph.remove(image)
    paragraph.tag = "figure"
    paragraph.set("class", "exhibit")
    alone = SubElement(paragraph, "a", {"href": address, "class": "drawing"})
    alone.append(image)
    image.tail = None
    caption = SubElement(paragraph, "figcaption")
    caption.text = f"{title} "
    forms = [
        ("SVG", f"{place}.svg", f"Download the figure “{title}” as SVG"),
        ("CSV", f"{place}.csv", f"Download the data of the figure “{title}” as CSV"),
        ("JSON", f"{place}.json", f"Download the data of the figure “{title}” as JSON"),
    ]
    _offer(SubElement(caption, "span", {"class": "downloads"}), forms)


def _published(name: str) -> dict[str, str]:
    """What is known of a figure of docs/figures/."""
    folder = ROOT / "docs" / "figures"
    try:
        title = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["title"]
        return drawn((folder / f"{name}.svg").read_text(encoding="utf-8"), title)
    except FileNotFoundError:
        raise ExhibitError(
            f"docs/figures/{name}.svg is no figure that an experiment or scripts/exhibits draws"
        ) from None


def drawn(svg: str, title: str) -> dict[str, str]:
    """The attributes of an image that make it a figure: its title, and its size in pixels."""
    return {TITLE: title, **pixels(svg)}


def pixels(svg: str) -> dict[str, str]:
    """The width and height of a drawing, as an image's attributes say them."""
    size = SIZE.search(svg)
    if size is None:
        raise ExhibitError("a drawing that does not say its size in points")
    width, height = (f"{float(points) * PIXELS_PER_POINT:.0f}" for points in size.groups())
    return {"width": width, "height": height}


def _offer_below(table: Element, parent: Element, name: str) -> None:
    words = name.rpartition("/")[2].replace("-", " ")
    line = Element("p", {"class": "downloads"})
    line.tail, table.tail = table.tail, None
    parent.insert(list(parent).index(table) + 1, line)
    _offer(
        line,
        [
            (form, f"/data/tables/{name}.{form.lower()}", f"Download the table “{words}” as {form}")
            for form in ("CSV", "JSON")
        ],
    )


def _offer(place: Element, forms: list[tuple[str, str, str]]) -> None:
    for form, address, name in forms:
        if len(place):
            place[-1].tail = " · "
        link = SubElement(
            place,
            "a",
            {"href": address, "download": address.rpartition("/")[2], "aria-label": name},
        )
        link.text = form


class ExhibitExtension(Extension):
    """Tables and figures with their data one click away."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register both processors."""
        # Before the tables are embedded (32); after attributes in braces (8), before links (0).
        md.preprocessors.register(ExhibitPreprocessor(md), "exhibits", 33)
        md.treeprocessors.register(ExhibitTreeprocessor(md), "exhibits", 7)


def makeExtension(**options: object) -> ExhibitExtension:
    """What Markdown calls."""
    return ExhibitExtension(**options)
