"""Every page of the site: visited once with scripts and once without, each visit for all that can be seen."""

import functools
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.browser.access import examine
from tests.browser.visits import CHAPTERS, DESK, PAGES, PHONE, opened

pytestmark = [pytest.mark.browser, pytest.mark.packages]

FIRST_VISIT = 200_000  # bytes
RECEIVED = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, { transferSize }) => sum + transferSize, 0)"""
PICTURES = "() => [...document.images].every((picture) => picture.complete)"
FITS = "() => document.documentElement.scrollWidth <= window.innerWidth"
WIDE = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"
FIGURES = """all => all.map(f => [f.querySelector("img")].map(({ offsetWidth, naturalWidth }) =>
  [offsetWidth / naturalWidth, f.offsetWidth, getComputedStyle(f.querySelector("a")).overflowX])[0])"""
HIDDEN = {  # what of a page's content is not there for a reader without JavaScript
    # Numbers of another device than the first are a tab away, which test_exhibits opens.
    "a.proven": "all => all.filter(e => !e.closest('.tabbed-block ~ .tabbed-block'))"
    ".filter(e => !e.checkVisibility() || !e.offsetWidth).map(e => e.title)",
    "img": "all => all.filter(e => !e.naturalWidth || e.offsetHeight < 20).map(e => e.src)",
    "pre": "all => all.filter(e => !e.checkVisibility()).map(e => e.textContent)",
    ".arithmatex": "all => all.filter(e => !e.checkVisibility() || e.offsetHeight < 8)"
    ".map(e => e.innerText)",
}


@pytest.mark.parametrize("path", PAGES)
def test_nothing_goes_wrong_on_a_page(browser, address, path):
    high = {"width": 1280, "height": 20_000}  # so that all pictures are asked for
    with opened(browser, address + path, color_scheme="dark", viewport=high) as (page, wrong):
        page.wait_for_function(PICTURES)
        assert 10_000 < page.evaluate(RECEIVED) < FIRST_VISIT
        formulas = page.locator(".arithmatex")
        for part in ("mjx-math[aria-hidden=true]", "mjx-assistive-mml > math"):
            assert page.locator(f".arithmatex > mjx-container > {part}").count() == formulas.count()
        assert page.locator("mjx-merror, mjx-utext").count() == 0  # unread, or not in the font
        assert page.evaluate("typeof MathJax") == "undefined"
        for view in (DESK, PHONE):
            page.set_viewport_size(view)  # which lets the menu slide for a moment
            page.wait_for_function(FITS, timeout=20_000)  # it does not scroll sideways
        if path in CHAPTERS:
            assert page.locator("div.arithmatex").evaluate_all(WIDE) == []
            # Those that are played draw themselves as wide as they are shown: test_play.
            figures = page.locator("figure.exhibit:not(.play)").evaluate_all(FIGURES)
            assert len(figures) + page.locator("figure.play").count() >= 2
            for scale, width, overflow in figures:
                assert scale * 12 * 96 / 72 >= 9.9  # the tick labels, 12 points in the drawing
                assert width <= PHONE["width"]
                assert overflow == "auto"
        page.emulate_media(color_scheme="light")
        assert wrong == []
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        examine(page, views=(DESK,), schemes=("light",), rows=8)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_without_javascript(browser, address, path):
    with opened(browser, address + path, java_script_enabled=False) as (page, wrong):
        assert wrong == []
        assert page.locator("article h1").is_visible()
        for what, broken in HIDDEN.items():
            elements = page.locator(f"article {what}:not(details:not([open]) *)")
            assert elements.evaluate_all(broken) == [], what


class Links(HTMLParser):
    """The ids of a page and the targets of its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: set[str] = set()
        self.proven: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids.add(found.get("id") or "")
        target = found.get("href") or found.get("src")
        if target:
            self.targets.add(target)
            if tag == "a" and "proven" in (found.get("class") or "").split():
                self.proven.add(target)


@functools.cache
def read_links(file: Path) -> Links:
    return Links(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES)
def test_every_link_of_a_page_leads_somewhere(site, path):
    here = f"https://example.org/{path}"
    links = read_links(site / path / "index.html")
    for target in links.targets:
        found = urlsplit(urljoin(here, target))
        if found.netloc != "example.org":
            assert found.scheme in ("https", "data"), target
            continue
        file = site / unquote(found.path).lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        assert file.is_file(), f"{target} leads to nothing"
        # What holds an equals sign is a plan, which the planner reads.
        if found.fragment and not found.fragment.startswith("__") and "=" not in found.fragment:
            assert found.fragment in read_links(file).ids, f"{target}: no such place"
    for target in links.proven:
        found = urlsplit(urljoin(here, target))
        assert found.path == "/reference/ledger/"
        assert found.fragment.startswith("p-")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_holds_no_script_or_style_that_a_policy_would_stop(site, path):
    html = (site / path / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|<[^>]*\sstyle=|<[^>]*\son\w+=", html)
    assert re.findall(r"<script(?![^>]*src=)[^>]*>", html) == []
