"""Drawings on a desk and on a phone: whole, of the page's scheme, and no letter cut off."""

import json

import pytest

from tests.browser.visits import BANDWIDTH, DESK, PHONE, ROOT, opened

pytestmark = pytest.mark.browser

DRAWINGS = sorted((ROOT / "docs/figures").glob("*.svg"))
# What of a drawing's words lies outside it, and the smallest of its letters, in its own units.
WORDS = """() => {
  const svg = document.documentElement, all = [...svg.querySelectorAll("text")];
  const whole = svg.getBoundingClientRect();
  // Above and below, a line has room for accents that no number has.
  const out = all.filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < whole.left - 1 || box.right > whole.right + 1
      || box.top < whole.top - 4 || box.bottom > whole.bottom + 4;
  });
  const sizes = all.flatMap((text) => [text, ...text.children])
    .filter((each) => !each.children.length && each.textContent.trim())
    .map((each) => parseFloat(getComputedStyle(each).fontSize));
  return { out: out.map((text) => text.textContent), least: Math.min(...sizes),
    width: svg.viewBox.baseVal.width };
}"""
SHOWN = """img => img.decode().then(() =>
  [img.currentSrc, img.offsetWidth, img.offsetHeight / img.offsetWidth])"""


def test_no_word_of_a_drawing_is_cut_off_or_too_small(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    faults = {}
    for drawing in DRAWINGS:
        page.goto(drawing.as_uri())
        found = page.evaluate(WORDS)
        room = PHONE["width"] - 32 if drawing.stem.endswith("-narrow") else 700
        # Exponents are smaller than their base, and as small as letters get.
        if found["out"] or found["least"] * room / found["width"] < 8:
            faults[drawing.stem] = found
    page.close()
    assert not faults, json.dumps(faults, indent=1)


@pytest.mark.parametrize(("view", "end"), [(DESK, "roofline.svg"), (PHONE, "roofline-narrow.svg")])
def test_a_phone_shows_the_narrow_drawing_without_a_shift(browser, address, view, end):
    with opened(browser, address + BANDWIDTH, viewport=view) as (page, _):
        image = page.locator("figure.exhibit img").first
        image.scroll_into_view_if_needed()
        source, width, ratio = image.evaluate(SHOWN)
        assert source.endswith(end)
        assert width <= view["width"] - 32
        page.route("**/*.svg", lambda route: route.abort())
        page.reload(wait_until="commit")
        assert page.locator("figure.exhibit img").first.evaluate(
            "img => img.offsetHeight / img.offsetWidth"
        ) == pytest.approx(ratio, abs=0.01)


def test_a_drawing_follows_the_scheme_that_a_reader_chose(browser, address):
    with opened(browser, address + BANDWIDTH, color_scheme="light") as (page, wrong):
        image = page.locator("figure.exhibit img").first
        image.scroll_into_view_if_needed()
        image.evaluate("image => image.decode()")
        # Without the page's own colours, what differs is the drawing.
        image.evaluate("image => (image.style.background = '#808080')")
        shown = {}
        for _ in ("to light", "to dark"):
            page.locator("button.scheme").click()
            shown[page.locator("html").get_attribute("data-scheme")] = image.screenshot()
        assert shown["light"] != shown["dark"]
        assert wrong == []
