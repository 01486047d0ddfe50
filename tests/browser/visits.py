"""How tests visit a page: they open it, and what goes wrong meanwhile is kept; they choose, and wait."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Route, TimeoutError, expect

from scripts.handbook.this_book import page_paths

ROOT = Path(__file__).parents[2]
BELOW = "some/where/"  # nothing may depend on the site's being at the top of its host
PAGES = [
    re.sub(r"\.(md|py)$", "/", path.removeprefix("docs/").removesuffix("index.md"))
    for path in page_paths(ROOT)
]
CHAPTERS = [path for path in PAGES if path.startswith("chapters/")]
BANDWIDTH, LONG = "chapters/03-bandwidth/", "chapters/04-parallelism/"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
FOUND = ".results a"  # what the search found
PATIENCE = 60_000  # milliseconds: other work on a small machine is no fault of the page
SETTLED = "async () => { await document.fonts.ready; return true; }"


@contextmanager
def opened(browser: Browser, url: str, **options: object) -> Iterator[tuple[Page, list[str]]]:
    """A page after its fonts are there, and what went wrong: requests, console, scripts, policy."""
    context = browser.new_context(**{"viewport": DESK, **options})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    wrong: list[str] = []
    home = urlsplit(url).netloc
    page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))

    def stop(route: Route) -> None:
        wrong.append(f"asks another host: {route.request.url}")
        route.abort()

    context.route(lambda asked: urlsplit(asked).netloc not in ("", home), stop)
    page.on(
        "response",
        lambda response: (
            response.ok
            or response.status == 304
            or wrong.append(f"{response.status} {response.url}")
        ),
    )
    page.goto(url)
    if options.get("java_script_enabled", True):
        try:
            page.wait_for_function(SETTLED)
        except TimeoutError:
            wrong.append("its fonts never come")
    yield page, wrong
    context.close()


@contextmanager
def strictly_opened(browser: Browser, url: str) -> Iterator[Page]:
    """A page served with no more than `default-src 'self'`; `stopped` lists what that stops."""

    def strict(route: Route) -> None:
        answer = route.fetch()
        policy = {"content-security-policy": "default-src 'self'"}
        route.fulfill(response=answer, headers=answer.headers | policy)

    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(
        "window.stopped = []; addEventListener('securitypolicyviolation', (event) =>"
        " stopped.push(`${event.sourceFile} ${event.blockedURI} ${event.effectiveDirective}`))"
    )
    page.route(url, strict)
    page.goto(url)
    yield page
    page.close()


def serious(wrong: list[str]) -> list[str]:
    """What went wrong, but for requests that going to the next page broke off."""
    return [each for each in wrong if not each.startswith("failed: ")]


def search(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Search").fill(words)
    page.locator(FOUND).first.wait_for()


def choose(page: Page, *, card: str = "", model: str = "") -> None:
    page.get_by_label("Your card", exact=True).select_option(card)
    page.get_by_label("Your model", exact=True).select_option(model)
    expect(page.locator("form.choice")).to_have_attribute("data-shown", f"{card},{model}")


def follows(page: Page, choice: str) -> None:
    """Wait until a page shows what was chosen, "card,model"."""
    page.locator(f"form.choice[data-shown='{choice}']").wait_for(state="attached")


def first_number(page: Page) -> str:
    return page.locator(".live a[data-written]").first.inner_text()
