"""Figures and tables in pages, with what they offer."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest

from scripts.site.exhibits import ExhibitError

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "docs/chapters").glob("*.md"))
IMAGE = re.compile(r"!\[([^\]]*)\]\((\S*?figures/([\w-]+)\.svg)[^)]*\)")
ASKED_FOR = {
    "roofline": "03",
    "training-timeline-epyc-2-cores": "02",
    "pipeline-timelines-epyc-2-cores": "04",
    "ruler": "05",
    "loss-by-bits-rtx-3060-transcribed": "05",
    "zero-stages": "02",
}


def render(source: str) -> ElementTree.Element:
    html = markdown.markdown(
        source,
        extensions=[
            *("attr_list", "md_in_html", "tables", "pymdownx.snippets"),
            *("scripts.site.provenance", "scripts.site.exhibits"),
        ],
        extension_configs={"pymdownx.snippets": {"base_path": [str(ROOT)], "check_paths": True}},
    )
    return ElementTree.fromstring(f"<body>{html}</body>")


def test_an_image_alone_becomes_a_figure_with_its_data():
    (figure,) = render("![A slope.](../figures/roofline.svg)")
    assert (figure.tag, figure.get("class")) == ("figure", "exhibit")
    image = figure.find("./a[@href='../figures/roofline.svg']/img")
    assert image is not None
    assert image.get("alt") == "A slope."
    assert (image.get("width"), image.get("height")) == ("768", "518")
    caption = figure.find("figcaption")
    title = json.loads((ROOT / "docs/figures/roofline.json").read_text())["title"]
    assert "".join(caption.itertext()) == f"{title} SVG · CSV · JSON"
    links = list(caption.iter("a"))
    assert [link.get("href") for link in links] == [
        f"/figures/roofline.{form}" for form in ("svg", "csv", "json")
    ]
    assert links[1].get("aria-label") == f"Download the data of the figure “{title}” as CSV"
    assert links[1].get("download") == "roofline.csv"


@pytest.mark.parametrize(
    "source",
    [
        "Words ![a](../figures/roofline.svg)",
        "![a](../figures/roofline.svg) words",
        "![a](../assets/logo.svg)",
        "![a](../figures/roofline.svg) ![b](../figures/ruler.svg)",
    ],
)
def test_other_images_are_left_alone(source):
    assert render(source).find(".//figure") is None


def test_a_figure_that_nothing_draws_stops_the_build():
    with pytest.raises(ExhibitError, match=r"docs/figures/rooflime\.svg is no figure"):
        render("![a](../figures/rooflime.svg)")


def test_below_each_embedded_table_stand_its_files():
    body = render('Text.\n\n--8<-- "docs/tables/formats.md"\n\nMore.')
    (block,) = body.findall("div")
    assert dict(block.attrib) == {"class": "exhibit"}
    offers = block.findall(".//p[@class='downloads']")
    assert [["/".join(a.get("href").split("/")[-2:]) for a in p] for p in offers] == [
        ["tables/formats.csv", "tables/formats.json"],
        ["tables/formats-2.csv", "tables/formats-2.json"],
    ]
    assert offers[0][0].get("aria-label") == "Download the table “formats” as CSV"
    order = [child.tag for child in block]
    assert order[: order.index("p") + 1] == ["table", "p"]
    assert body.findall("p")[-1].text == "More."


def test_a_table_of_a_page_itself_has_no_files():
    assert "downloads" not in str(ElementTree.tostring(render("| a |\n|---|\n| b |")))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_figures_and_says_what_each_shows(chapter):
    images = IMAGE.findall(chapter.read_text(encoding="utf-8"))
    assert len({name for *_, name in images}) >= 2
    for text, _, name in images:
        assert len(text.split()) >= 15, f"{name}: say what the figure shows"
        assert not re.match(r"(?i)(figure|image|picture|chart|graph|plot) (of|showing)", text)


def test_the_figures_that_the_book_needs_are_in_their_chapters():
    for name, number in ASKED_FOR.items():
        (chapter,) = (path for path in CHAPTERS if path.stem.startswith(f"{number}-"))
        assert f"figures/{name}.svg" in chapter.read_text(encoding="utf-8")


def test_every_figure_that_is_drawn_is_shown_somewhere():
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    devices = sorted(path.name for path in (ROOT / "docs/data/records").iterdir())
    of_a_device = re.compile(rf"-({'|'.join(map(re.escape, devices))})$")
    drawn = {path.stem for path in (ROOT / "docs/figures").glob("*.json")}
    shown = {of_a_device.sub("", name) for *_, name in IMAGE.findall(pages)}
    assert {of_a_device.sub("", name) for name in drawn} <= shown
