"""The labs' pages: light, whole in both schemes, and their notebooks at hand."""

import gzip
import json

import pytest

from tests.browser import test_pages as pages
from tests.browser.test_pages import BELOW, PAGES, opened

pytestmark = pytest.mark.browser

site, address, browser = pages.site, pages.address, pages.browser

LABS = [path for path in PAGES if path.startswith("labs/")]
WEIGHT = 150_000  # bytes of a page with all that it loads, gzipped
CONTRAST = 4.5
# The contrast of an element's text with what lies behind it, as WCAG defines it.
CONTRASTS = """all => {
  const rgb = (css) => css.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const found = rgb(getComputedStyle(e).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  return all.map((e) => {
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""


def test_there_are_three():
    assert LABS == ["labs/measure/", "labs/quantize/", "labs/train/"]


@pytest.mark.parametrize("path", LABS)
def test_a_page_is_light_with_all_that_it_loads(browser, address, site, path):
    asked = set()
    with opened(browser, address + "reference/errata/") as (page, _):
        page.on("response", lambda response: asked.add(response.url.partition("?")[0]))
        page.goto(address + path, wait_until="networkidle")
    assert any(url.endswith(".svg") and "/labs/" in url for url in asked)
    files = [site / BELOW / url.removeprefix(address) for url in asked]
    sizes = {(file / "index.html" if file.is_dir() else file): 0 for file in files if file.exists()}
    for file in sizes:
        packed = file.suffix == ".woff2"
        sizes[file] = file.stat().st_size if packed else len(gzip.compress(file.read_bytes()))
    print(path, sum(sizes.values()))
    assert sum(sizes.values()) <= WEIGHT, sizes


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", LABS)
def test_code_and_what_it_printed_can_be_read_in_both_schemes(browser, address, path, scheme):
    with opened(browser, address + path, color_scheme=scheme) as (page, wrong):
        for what in ("pre.output code", ".highlight code"):
            elements = page.locator(f"article {what}")
            assert elements.count() >= 5
            assert min(elements.evaluate_all(CONTRASTS)) >= CONTRAST
        figures = page.locator("article img")
        assert figures.count() >= 1
        words = figures.evaluate_all("all => all.map(e => e.alt)")
        assert all(len(each) > 40 for each in words)
        assert wrong == []


@pytest.mark.parametrize("path", LABS)
def test_the_notebook_can_be_downloaded(browser, address, path):
    with opened(browser, address + path) as (page, wrong):
        with page.expect_download() as download:
            page.get_by_role("link", name="Download as a notebook").click()
        name = path.split("/")[1]
        assert download.value.suggested_filename == f"{name}.ipynb"
        cells = json.loads(download.value.path().read_text("utf-8"))["cells"]
        title = page.locator("h1").evaluate("e => e.firstChild.textContent")
        assert cells[0]["source"][0].strip() == f"# {title}"
        assert wrong == []
