"""Formulas as they are read: by eyes, by screen readers, by the search."""

import json
import re

import pytest

from tests.browser.visits import BANDWIDTH, opened

pytestmark = pytest.mark.browser


def test_a_formula_has_the_colour_of_its_text_its_own_font_and_is_read_once(browser, address):
    with opened(browser, address + BANDWIDTH, color_scheme="dark") as (page, wrong):
        colour = "element => getComputedStyle(element).color"
        formula = page.locator("div.arithmatex mjx-mn mjx-c").first
        assert formula.evaluate(colour) == page.locator("article").evaluate(colour)
        fonts = "Array.from(document.fonts).filter(f => f.status == 'loaded').map(f => f.family)"
        assert "MJX-NCM-N" in page.evaluate(fonts)
        assert "MJX-NCM-N" in formula.evaluate("element => getComputedStyle(element).fontFamily")
        read = page.locator("div.arithmatex").first.aria_snapshot()
        assert read.count("209") == 1
        assert "math" in read
        assert wrong == []


def test_the_search_reads_each_formula_once_and_as_text(site):
    sections = json.loads((site / "assets/search.json").read_text("utf-8"))
    text = " ".join(section[3] for section in sections)
    assert text.count("β / W = 3,350 GB/s / 16 GB = 209 tokens/s") == 1
    assert not re.search(r"\\[(\[a-z]+\{|mjx-", text)
    assert re.findall("[\U0001d434-\U0001d467]", text) == []  # italic letters
