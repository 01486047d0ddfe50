"""The labs' pages: light, with what their code printed and drew, and their notebooks at hand."""

import gzip
import json

import pytest

from tests.browser.visits import PAGES, opened

pytestmark = pytest.mark.browser


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
    files = [site / url.removeprefix(address) for url in asked]
    sizes = {(file / "index.html" if file.is_dir() else file): 0 for file in files if file.exists()}
    for file in sizes:
        packed = file.suffix == ".woff2"
        sizes[file] = file.stat().st_size if packed else len(gzip.compress(file.read_bytes()))
    print(path, sum(sizes.values()))
    assert sum(sizes.values()) <= WEIGHT, sizes


@pytest.mark.parametrize("path", LABS)
def test_outputs_figures_their_data_and_the_notebook_are_there(browser, address, path):
    with opened(browser, address + path, color_scheme="dark") as (page, wrong):
        assert page.locator("article pre.output").count() >= 4
        pictures = page.locator("article img")
        assert pictures.count() >= 1
        assert pictures.evaluate_all("all => all.every(e => e.naturalWidth && e.alt.length > 40)")
        for form, holds, times in (("SVG", "<svg", 1), ("CSV", "\n", 3), ("JSON", '"series"', 3)):
            for link in page.locator("article figure").get_by_role("link", name=f"as {form}").all():
                with page.expect_download() as download:
                    link.click()
                assert download.value.path().read_text("utf-8").count(holds) >= times
        with page.expect_download() as download:
            page.get_by_role("link", name="Download as a notebook").click()
        assert download.value.suggested_filename == f"{path.split('/')[1]}.ipynb"
        cells = json.loads(download.value.path().read_text("utf-8"))["cells"]
        title = page.locator("h1").evaluate("e => e.firstChild.textContent")
        assert cells[0]["source"][0].strip() == f"# {title}"
        assert wrong == []
