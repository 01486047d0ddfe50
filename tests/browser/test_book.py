"""The book, printed from a small site."""

import io
import json
import re
from datetime import date
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from mkdocs.config import load_config
from pypdf import PdfReader

from scripts.book import STYLESHEETS, print_book, read_pages
from scripts.core.faults import BadInput
from scripts.site.bind import bind

pytestmark = pytest.mark.browser


ROOT = Path(__file__).parents[2]
NAV = """\
site_name: A small book
site_description: What it holds.
nav:
  - Home: index.md
  - Planner: planner.md
  - Chapters:
      - One: chapters/01-one.md
      - Two: chapters/02-two.md
"""
LONG = "".join(f"<p>Paragraph {number} of the first.</p>" for number in range(150))
LETTERS = "The first floor offers efficient affluence."  # fonts join ff, fi, fl, ffi and ffl
PAGES = {
    "": '<h1 id="a">The beginning</h1><p>See <a href="chapters/02-two/#deep">deep in two</a>.</p>',
    "planner/": "<h1>A form</h1>",
    "chapters/01-one/": f'<h1 id="a">The first</h1><h2 id="b">A part of it</h2>{LONG}',
    "chapters/02-two/": f'<h1 id="a">The second</h1><p id="deep">Deep.</p><p>{LETTERS}</p>',
}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "mkdocs.yml").write_text(NAV)
    (tmp_path / "docs").mkdir()
    for url, text in PAGES.items():
        page = tmp_path / "site" / url / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<article>{text}</article>")
    told = [["chapters/02-two/#deep", "The second", "Deep", "Deep.", "depth"]]
    (tmp_path / "site/assets").mkdir()
    (tmp_path / "site/assets/search.json").write_text(json.dumps(told))
    for sheet in STYLESHEETS[:-1]:  # the last is the book's own
        (tmp_path / "site" / sheet).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / sheet).write_text("h1 { font-size: 30px }")
    return tmp_path


def test_contents_outline_and_links_lead_to_the_right_sheets(root, browser):
    book = PdfReader(io.BytesIO(print_book(root, root / "site", browser)))
    texts = [re.sub(r"\s+", " ", page.extract_text()) for page in book.pages]
    assert "A small book What it holds." in texts[0]
    listed = dict(re.findall(r"The (beginning|first|second) (\d+)", texts[1]))
    starts = {
        name: next(n for n, text in enumerate(texts, 1) if text.startswith(f"The {name}"))
        for name in ("beginning", "first", "second")
    }
    assert listed == {name: str(sheet) for name, sheet in starts.items()}
    assert starts["second"] > starts["first"] + 2  # the first takes several sheets
    assert "A form" not in " ".join(texts)
    assert LETTERS in " ".join(texts)
    titles = [each.title for each in book.outline if not isinstance(each, list)]
    assert titles == ["Contents", "The beginning", "The first", "The second", "Index"]
    assert texts[-1].startswith(f"Index depth {starts['second']}")
    target = book.named_destinations["/chapters-02-two--deep"]
    assert book.get_destination_page_number(target) + 1 == starts["second"]


def test_a_file_that_is_missing_is_named_and_not_waited_for(root, browser):
    (root / "site" / STYLESHEETS[0]).unlink()
    with pytest.raises(BadInput, match=f"site/{STYLESHEETS[0]}: is not there"):
        print_book(root, root / "site", browser)


def test_a_site_that_was_not_built_is_named(root, browser):
    (root / "site/chapters/02-two/index.html").unlink()
    with pytest.raises(BadInput, match=r"site/chapters/02-two/index\.html: is not there"):
        print_book(root, root / "site", browser)


def test_each_link_of_the_whole_book_leads_somewhere(site):
    html = bind(
        read_pages(load_config(str(ROOT / "mkdocs.yml")).nav, site),
        title="",
        description="",
        read=date(2026, 11, 30),
        published_at="",
        stylesheets=[],
        sheets={},
    )
    book = BeautifulSoup(html, "html.parser")
    ids = [element["id"] for element in book.find_all(id=True)]
    assert len(ids) == len(set(ids))
    links = {link["href"] for link in book.find_all("a", href=re.compile("^#"))}
    assert {"#chapters-03-bandwidth", "#reference-glossary--token"} <= links
    assert links <= {f"#{name}" for name in ids}
