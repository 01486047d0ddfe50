"""Print the whole book, as the site in `site/` has it, to one PDF: `site/sixteen-bytes.pdf`."""

import argparse
import io
import mimetypes
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from mkdocs.config import load_config  # noqa: E402
from playwright.sync_api import Browser, Page, Route, sync_playwright  # noqa: E402
from pypdf import PdfReader  # noqa: E402

from scripts.core.faults import BadInput  # noqa: E402
from scripts.core.files import read_text, write_bytes  # noqa: E402
from scripts.site.bind import HOST, bind, place  # noqa: E402
from scripts.site.book_index import read_index  # noqa: E402
from scripts.site.chromium import INSTALL, find_chromium  # noqa: E402

NAME = "sixteen-bytes.pdf"
# A form, programs to run, what is true of one machine only, the list of functions, and two hundred sheets
# of expressions: a number's link leads to the ledger where the site is published.
LEFT_OUT = (
    *("planner.md", "labs/", "reference/this-machine.md"),
    *("reference/functions.md", "reference/ledger.md"),
)
STYLESHEETS = ("assets/css/site.css", "assets/formulas/formulas.css", "book.css")
FOOTER = (
    '<div style="width: 100%; font: 8px sans-serif; text-align: center">'
    '<span class="pageNumber"></span></div>'
)
PATIENCE = 300_000  # milliseconds


def print_book(root: Path, site: Path, browser: Browser) -> bytes:
    """The book as a PDF, printed by a Chromium. Raises BadInput where there is no site."""
    config = load_config(str(root / "mkdocs.yml"))
    pages = read_pages(config.nav, site)
    index = read_index(site, pages)
    wanted = [
        *(place(url) for url in pages),
        *(place(*to) for each in index.values() for to in each),
    ]
    sheets: dict[str, int] = {}
    with closing(browser.new_page()) as page:
        page.set_default_timeout(PATIENCE)
        while True:
            bound = bind(
                pages,
                title=config.site_name,
                description=config.site_description or "",
                read=date.today(),
                published_at=config.site_url or "",
                stylesheets=STYLESHEETS,
                sheets=sheets,
                index=index,
            )
            printed = _print(page, bound, site)
            found = _sheets(printed, wanted)
            if found == sheets:  # the table of contents and the index say where everything is
                return printed
            sheets = found


def read_pages(nav: object, site: Path) -> dict[str, str]:
    """The HTML of the pages that the book holds, in the order of a navigation, by address."""
    urls = [_url(path) for path in _in_order(nav) if not path.startswith(LEFT_OUT)]
    return {url: read_text(_page(site, url), name=f"site/{url}index.html") for url in urls}


def main(argv: Sequence[str] | None = None) -> int:
    """The command line. It takes nothing."""
    argparse.ArgumentParser(description=__doc__).parse_args(argv)
    try:
        chromium = find_chromium()
        if chromium is None:
            raise BadInput("scripts/book.py", 0, "no Chromium was found to print with", INSTALL)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium)
            book = print_book(ROOT, ROOT / "site", browser)
    except BadInput as error:
        print(error.fault, file=sys.stderr)
        return 1
    write_bytes(ROOT / "site" / NAME, book, name=f"site/{NAME}")
    print(f"site/{NAME}: {len(PdfReader(io.BytesIO(book)).pages)} sheets, {len(book)} bytes")
    return 0


def _in_order(nav: object) -> list[str]:
    """The pages that a navigation lists, by their paths below docs/."""
    if isinstance(nav, str):
        return [nav]
    inner = nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else []
    return [path for each in inner for path in _in_order(each)]


def _url(path: str) -> str:
    return "" if path == "index.md" else path.removesuffix(".md") + "/"


def _page(site: Path, url: str) -> Path:
    file = site / url / "index.html"
    if not file.is_file():
        raise BadInput(f"site/{url}index.html", 0, "is not there", "run make site first")
    return file


def _print(page: Page, bound: str, site: Path) -> bytes:
    missing: list[str] = []

    def serve(route: Route) -> None:
        below = route.request.url.removeprefix(HOST)
        if not below:
            route.fulfill(body=bound, content_type="text/html; charset=utf-8")
            return
        file = Path(__file__).parent / "site/book.css" if below == "book.css" else site / below
        if not file.is_file():  # an answer that never came would be waited for
            missing.append(below)
            route.abort()
            return
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        route.fulfill(body=file.read_bytes(), content_type=kind)

    page.unroute_all()
    page.route(f"{HOST}**", serve)
    page.goto(HOST)
    page.evaluate("document.fonts.ready")
    if missing:
        raise BadInput(f"site/{missing[0]}", 0, "is not there", "run make site first")
    return page.pdf(
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
        prefer_css_page_size=True,
        print_background=True,
        outline=True,
        tagged=True,
    )


def _sheets(printed: bytes, wanted: Iterable[str]) -> dict[str, int]:
    """The sheet on which each place is, by its id, counted from one."""
    reader = PdfReader(io.BytesIO(printed))
    places = {name.lstrip("/"): to for name, to in reader.named_destinations.items()}
    numbers = {}
    for each in wanted:
        number = reader.get_destination_page_number(places[each])
        numbers[each] = (number or 0) + 1
    return numbers


if __name__ == "__main__":
    sys.exit(main())
