"""Formulas as they are read: by eyes on a narrow screen, by screen readers, by the search."""

import json
import re

import pytest

from scripts.proof.parse import parse_page
from tests.browser import test_pages as pages
from tests.browser.test_pages import BELOW, PAGES, ROOT, opened

pytestmark = pytest.mark.browser

site, address, browser = pages.site, pages.address, pages.browser

CHAPTERS = [path for path in PAGES if path.startswith("chapters/")]


@pytest.mark.parametrize("path", CHAPTERS)
def test_formulas_fit_a_phone(browser, address, path):
    with opened(browser, address + path, viewport={"width": 390, "height": 844}) as (page, wrong):
        wide = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"
        assert page.locator("div.arithmatex").evaluate_all(wide) == []
        assert wrong == []


def test_a_formula_has_the_colour_of_its_text_and_its_own_font(browser, address):
    with opened(browser, address + "chapters/03-bandwidth/", color_scheme="dark") as (page, wrong):
        colour = "element => getComputedStyle(element).color"
        formula = page.locator("div.arithmatex mjx-mn mjx-c").first
        assert formula.evaluate(colour) == page.locator("article").evaluate(colour)
        fonts = "Array.from(document.fonts).filter(f => f.status == 'loaded').map(f => f.family)"
        assert "MJX-NCM-N" in page.evaluate(fonts)
        assert "MJX-NCM-N" in formula.evaluate("element => getComputedStyle(element).fontFamily")
        assert wrong == []


def test_a_screen_reader_finds_the_formula_once(browser, address):
    with opened(browser, address + "chapters/03-bandwidth/") as (page, wrong):
        read = page.locator("div.arithmatex").first.aria_snapshot()
        assert read.count("209") == 1
        assert "math" in read
        assert wrong == []


def test_the_search_reads_each_formula_once_and_as_text(site):
    index = json.loads((site / BELOW / "assets/search.json").read_text("utf-8"))
    text = " ".join(text for *_, text in index)
    assert text.count("β / W = 3,350 GB/s / 16 GB = 209 tokens/s") == 1
    assert not re.search(r"\\[(\[a-z]+\{|mjx-", text)
    italic = re.findall("[\U0001d434-\U0001d467]", text)
    assert italic == []


def test_the_search_finds_words_inside_and_around_formulas(browser, address):
    chapter = "chapters/02-training-memory/"
    source = parse_page("", (ROOT / "docs/chapters/02-training-memory.md").read_text("utf-8"))
    inside = r"\text{bytes per layer}"
    assert any(inside in formula.tex for formula in source.formulas)
    with opened(browser, address + "reference/errata/") as (page, wrong):
        for words in ("A = 34 bytes per layer", "parameters, and all units written out"):
            page.get_by_role("textbox", name="Search").fill(words)
            found = page.locator(f".results a[href*='{chapter}']").first
            found.wait_for(state="attached")
        assert wrong == []
