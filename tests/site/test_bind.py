"""Binding pages into one document."""

import json
from datetime import date
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from scripts.site.bind import bind, place
from scripts.site.book_index import Index, read_index

ROOT = Path(__file__).parents[2]
HOME = '<article><h1 id="top">Home</h1><a href="chapters/one/#x">one</a></article>'
ONE = (
    '<nav id="x">not the text</nav><article><h1 id="one">One<a class="headerlink">¶</a></h1>'
    '<p id="x">Here. <a class="up" href="../../">home</a> <a class="here" href="#x">x</a>'
    '<a class="away" href="https://example.org/a">away</a>'
    '<a class="ledger" href="../../reference/ledger/#p-1">209</a></p>'
    '<img src="../../figures/a.svg" loading="lazy"><label for="x">l</label>'
    '<p class="assumed">For <span>an H100</span>'
    '<span class="change"> · <button>change</button></span></p></article>'
)


def bound(published_at: str = "", index: Index | None = None, **pages: str) -> BeautifulSoup:
    html = bind(
        pages or {"": HOME, "chapters/one/": ONE},
        title="A & B",
        description="All of it.",
        read=date(2026, 11, 30),
        published_at=published_at,
        stylesheets=["assets/a.css"],
        sheets={"chapters-one": 7, "chapters-one--x": 8},
        index=index,
    )
    return BeautifulSoup(html, "html.parser")


def test_links_lead_within_the_book():
    book = bound()
    assert book.select_one("section#home a")["href"] == "#chapters-one--x"
    one = book.select_one("section#chapters-one")
    assert one.select_one("#chapters-one--x").get_text().startswith("Here.")
    assert one.select_one("a.up")["href"] == "#home"
    assert one.select_one("a.here")["href"] == "#chapters-one--x"
    assert one.select_one("a.away")["href"] == "https://example.org/a"
    assert one.select_one("label")["for"] == "chapters-one--x"
    image = one.select_one("img")
    assert image["src"] == "http://book/figures/a.svg"
    assert "loading" not in image.attrs


def test_what_the_book_does_not_hold_is_on_the_site_or_plain_text():
    assert bound().select_one("a.ledger") is None
    assert "209" in bound().get_text()
    link = bound("https://example.org/below/").select_one("a.ledger")
    assert link["href"] == "https://example.org/below/reference/ledger/#p-1"


def test_what_only_a_screen_needs_is_gone():
    book = bound()
    assert "¶" not in book.get_text()
    assert "not the text" not in book.get_text()
    assert book.select_one(".assumed").get_text() == "For an H100"


def test_the_contents_say_on_which_sheet_each_page_begins():
    rows = bound().select(".sheets li")
    assert [(row.a["href"], row.a.get_text(), row.span.get_text()) for row in rows] == [
        ("#home", "Home", ""),
        ("#chapters-one", "One", "7"),
    ]
    assert bound().title.get_text() == "A & B"
    assert "2026-11-30" in bound().select_one(".cover").get_text()


def test_a_page_without_a_title_is_named():
    with pytest.raises(ValueError, match="site/chapters/two/ has no article with a title"):
        bound(**{"chapters/two/": "<article><p>nothing</p></article>"})


def test_places_are_not_taken_twice():
    assert place("a/b/", "c") != place("a/b/c/")


def test_the_index_says_on_which_sheets_words_are_explained(tmp_path):
    told = [
        ["chapters/one/#x", "One", "X", "", "zebra, why not"],
        ["reference/glossary/#a", "Glossary", "Apple, SM", "A fruit.", ""],
        ["reference/glossary/#b", "Glossary", "A heading", "", ""],
        ["chapters/one/", "One", "One", "", "Zebra & co"],
        ["labs/a/", "A", "A", "", "left out"],
    ]
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/search.json").write_text(json.dumps(told))
    index = read_index(tmp_path, {"chapters/one/", "reference/glossary/"})
    assert list(index) == ["apple", "SM", "zebra", "Zebra & co"]
    assert "Index" not in bound().get_text()
    book = bound(index={word: index[word] for word in ("zebra", "Zebra & co")})
    assert [li.get_text() for li in book.select(".index li")] == ["zebra 8", "Zebra & co 7"]
    assert [a["href"] for a in book.select(".index a")] == ["#chapters-one--x", "#chapters-one"]
