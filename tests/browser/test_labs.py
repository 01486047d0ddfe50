"""The labs' pages: light, with what their code printed and drew, and their notebooks at hand."""

import gzip
import json

import pytest

from tests.browser import test_pages as pages
from tests.browser.test_pages import BELOW, PAGES, opened

pytestmark = pytest.mark.browser

site, address, browser = pages.site, pages.address, pages.browser

LABS = [path for path in PAGES if path.startswith("labs/")]
WEIGHT = 150_000  # bytes of a page with all that it loads, gzipped


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


@pytest.mark.parametrize("path", LABS)
def test_outputs_and_figures_are_there_in_words_too(browser, address, path):
    with opened(browser, address + path, color_scheme="dark") as (page, wrong):
        assert page.locator("article pre.output").count() >= 4
        figures = page.locator("article img")
        assert figures.count() >= 1
        assert figures.evaluate_all("all => all.every(e => e.naturalWidth && e.alt.length > 40)")
        assert wrong == []


@pytest.mark.parametrize("path", LABS)
def test_the_data_of_each_figure_can_be_downloaded(browser, address, path):
    with opened(browser, address + path) as (page, wrong):
        for figure in page.locator("article figure").all():
            for form in ("SVG", "CSV", "JSON"):
                with page.expect_download() as download:
                    figure.get_by_role("link", name=f"as {form}").click()
                text = download.value.path().read_text("utf-8")
                lines = {"SVG": "<svg", "CSV": "\n", "JSON": '"series"'}[form]
                assert text.count(lines) >= (1 if form == "SVG" else 3)
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
