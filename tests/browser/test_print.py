"""What comes out of a printer."""

import io
import re

import pytest
from pypdf import PdfReader

from tests.browser.visits import opened

pytestmark = pytest.mark.browser


CHAPTERS = {
    "01-number-formats": ("Number formats", "0.09997559", "Llama 3.1 8B"),
    "02-training-memory": ("Training memory", "bytes per layer", "an H100 SXM and Llama 3.1 8B"),
    "05-quantization": ("Quantization", "1,207,959,552 weights", "an H100 SXM and Llama 3.1 8B"),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_prints_as_text_with_its_answers(browser, address, chapter, scheme):
    title, formula, assumed = CHAPTERS[chapter]
    url = f"{address}chapters/{chapter}/"
    with opened(browser, url, color_scheme=scheme) as (page, wrong):
        printed = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
        page.emulate_media(media="print")
        look = "element => getComputedStyle(element)"
        around = page.locator("header, footer, nav").locator("visible=true")
        assert around.count() == 0
        assert page.locator("article").evaluate(f"e => ({look})(e).color") == "rgb(0, 0, 0)"
        number = page.locator("a.proven").first
        assert number.evaluate(f"e => ({look})(e).textDecorationLine") == "none"
        hidden = "all => all.filter(e => !e.checkVisibility()).length"
        assert page.locator("details > *").evaluate_all(hidden) == 0
        wide = "all => all.filter(e => e.getBoundingClientRect().right > innerWidth).length"
        assert page.locator("article img, article div.arithmatex").evaluate_all(wide) == 0
        assert wrong == []
    text = re.sub(r"\s+", " ", " ".join(sheet.extract_text() for sheet in printed))
    assert 4 <= len(printed) <= 40
    assert text.lstrip().startswith(title)
    assert formula in text
    assert "Answer" in text
    assert "ledger/#" not in text  # targets of links are not spelled out
    assert f"For {assumed} " in text
    assert not re.search(r"For [^·.]{1,60} ·", text)  # nothing is left of "· change"
