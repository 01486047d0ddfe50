"""Every page of the built site, in a real browser, served from below a path of a host."""

import functools
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page, Route, TimeoutError, sync_playwright

from scripts.core.cache import Cache
from scripts.core.files import write_bytes
from scripts.core.lock import locked
from scripts.exhibits import this_machine
from scripts.handbook.told import page_paths
from scripts.records import record as records
from scripts.site.site import build_site as make_site
from tests.browser.hosting import hosted

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
BELOW = "some/where"  # nothing may depend on the site's being at the top of its host
PAGES = [
    re.sub(r"\.(md|py)$", "/", path.removeprefix("docs/").removesuffix("index.md"))
    for path in page_paths(ROOT)
]
FIRST_VISIT = 200_000  # bytes
LONG = "chapters/04-parallelism/"
SETTLED = "async () => { await document.fonts.ready; return true; }"

PATIENCE = 120_000  # milliseconds: other work on a small machine is no fault of the page
HIDDEN = {  # what of a page's content is not there for a reader without JavaScript
    # Numbers of another device than the first are a tab away, which test_exhibits opens.
    "a.proven": "all => all.filter(e => !e.closest('.tabbed-block ~ .tabbed-block'))"
    ".filter(e => !e.checkVisibility() || !e.offsetWidth).map(e => e.title)",
    "img": "all => all.filter(e => !e.naturalWidth || e.offsetHeight < 20).map(e => e.src)",
    "pre": "all => all.filter(e => !e.checkVisibility()).map(e => e.textContent)",
    ".arithmatex": "all => all.filter(e => !e.checkVisibility() || e.offsetHeight < 8)"
    ".map(e => e.innerText)",
}


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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built afresh from the present sources, once for all processes of a run."""
    run = tmp_path_factory.getbasetemp()
    run = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    top = run / "host"
    with FileLock(run / "host.lock"):
        if not top.exists():
            build_site(run / "unfinished")
            os.replace(run / "unfinished", top)
    return top


def build_site(top: Path) -> None:
    if not (ROOT / "docs/tables/local/this-machine.md").exists():  # nothing was measured here yet
        for path, data in this_machine.render({}, records.read_all(ROOT)).items():
            write_bytes(ROOT / "docs" / path, data)
    with locked(ROOT / ".cache/lock"):
        cache = Cache(ROOT / ".cache")
        make_site(ROOT, cache, {}, top / BELOW)
        cache.save()


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    handler = functools.partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{BELOW}/"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium)
        yield launched
        launched.close()


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


@contextmanager
def opened(browser: Browser, url: str, **options: object) -> Iterator[tuple[Page, list[str]]]:
    """A page after its fonts are there, and what went wrong: requests, console, scripts, policy."""
    context = browser.new_context(**options)
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


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_only_its_own_host_and_nothing_goes_wrong(browser, address, path):
    phone, desk = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
    with opened(browser, address + path, color_scheme="dark", viewport=phone) as (page, wrong):
        formulas = page.locator(".arithmatex")
        for part in ("mjx-math[aria-hidden=true]", "mjx-assistive-mml > math"):
            assert page.locator(f".arithmatex > mjx-container > {part}").count() == formulas.count()
        assert page.locator("mjx-merror, mjx-utext").count() == 0  # unread, or not in the font
        assert page.evaluate("typeof MathJax") == "undefined"
        for view in (phone, desk):
            page.set_viewport_size(view)  # which lets the theme's menu slide for a moment
            fits = "() => document.documentElement.scrollWidth <= window.innerWidth"
            page.wait_for_function(fits, timeout=20_000)  # it does not scroll sideways
        page.emulate_media(color_scheme="light")
        assert wrong == []


@pytest.mark.parametrize("path", ["", "planner/", LONG])
def test_nothing_moves_while_a_page_opens_on_a_phone(browser, address, path):
    page = browser.new_page(viewport={"width": 412, "height": 823})
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(
        "window.moved = []; new PerformanceObserver(list => list.getEntries().forEach(entry =>"
        " moved.push([entry.value, ...entry.sources.map(each => each.node?.outerHTML?.slice(0, 99))])"
        ")).observe({type: 'layout-shift', buffered: true})"
    )
    page.set_default_timeout(PATIENCE)
    page.goto(address + path, wait_until="networkidle")
    # The letters of a formula come late, and are not as tall as those that stood for them.
    assert page.evaluate("moved.filter(([value]) => value > 0.02)") == []
    page.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_first_visit_is_light(browser, site, path):
    received: list[int] = []
    with hosted(site / BELOW) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 20_000})  # all pictures too
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on(
            "Network.loadingFinished", lambda done: received.append(done["encodedDataLength"])
        )
        page.goto(address + path, wait_until="networkidle")
        page.close()
    assert 10_000 < sum(received) < FIRST_VISIT


def test_an_address_leads_to_its_place_far_down_a_page(browser, address):
    with opened(browser, address + LONG, viewport={"width": 412, "height": 823}) as (page, wrong):
        last = page.locator("article h2").last.get_attribute("id")
        page.goto("about:blank")
        page.goto(f"{address}{LONG}#{last}", wait_until="networkidle")
        place = page.locator(f"[id='{last}']")
        assert page.evaluate("scrollY") > 10_000
        assert 0 < place.evaluate("element => element.getBoundingClientRect().top") < 200
        assert wrong == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_without_javascript(browser, address, site, path):
    with opened(browser, address + path, java_script_enabled=False) as (page, wrong):
        assert wrong == []
        assert page.locator("article h1").is_visible()
        for what, broken in HIDDEN.items():
            elements = page.locator(f"article {what}:not(details:not([open]) *)")
            assert elements.evaluate_all(broken) == [], what


@pytest.mark.parametrize("path", PAGES)
def test_every_link_of_a_page_leads_somewhere(site, address, path):
    below = site / BELOW
    here = urlsplit(address + path)
    links = read_links(below / path / "index.html")
    for target in links.targets:
        found = urlsplit(urljoin(here.geturl(), target))
        if found.netloc != here.netloc or not found.scheme.startswith("http"):
            assert found.scheme in ("https", "data"), target
            continue
        file = site / unquote(found.path).lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        assert file.is_file(), f"{target} leads to nothing"
        if found.fragment and not found.fragment.startswith("__"):
            assert found.fragment in read_links(file).ids, f"{target}: no such place"
    ledger = f"/{BELOW}/reference/ledger/"
    for target in links.proven:
        found = urlsplit(urljoin(here.geturl(), target))
        assert found.path == ledger
        assert found.fragment.startswith("p-")


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without scripts"])
def test_a_proven_number_says_where_it_comes_from(browser, address, script):
    options = {"java_script_enabled": script}
    with opened(browser, address, **options) as (page, wrong):
        number = page.get_by_text("209 tokens/s")
        says = number.get_attribute("title") or ""
        assert says.startswith("computed: decode_ceiling(h100_sxm.memory_bandwidth, ")
        style = "element => getComputedStyle(element).textDecorationLine"
        assert "underline" in number.evaluate(style)
        for reach in (number.hover, number.focus):
            page.mouse.move(0, 0)
            reach()
            if script:
                page.locator(".note", has_text=says).wait_for()
            else:
                after = "element => getComputedStyle(element, '::after').content"
                assert says in number.evaluate(after)
        assert wrong == []


def test_a_proven_number_is_reached_by_keyboard_and_leads_to_its_row(browser, address):
    with opened(browser, address) as (page, wrong):
        for _ in range(60):
            page.keyboard.press("Tab")
            if "proven" in (page.locator(":focus").get_attribute("class") or ""):
                break
        focused = page.locator("a.proven:focus")
        assert focused.inner_text() == "3,350 GB/s"
        outline = "element => getComputedStyle(element).outlineStyle"
        assert focused.evaluate(outline) != "none"
        page.keyboard.press("Enter")
        page.wait_for_url("**/reference/ledger/#p-*")
        row = page.locator(f"tr:has(#{urlsplit(page.url).fragment})")
        row.wait_for()
        assert "h100_sxm.memory_bandwidth" in row.inner_text()
        assert wrong == []


def test_the_policy_stops_what_is_not_of_the_site(browser, address):
    with opened(browser, address) as (page, wrong):
        policy = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")
        assert (policy or "").startswith("default-src 'self'; ")
        assert "unsafe" not in (policy or "")
        assert page.locator("script:not([src]):not([type='application/json'])").count() == 0
        assert wrong == []
        page.evaluate("document.body.append(document.createElement('script'))")
        page.evaluate("document.body.lastChild.append('window.broken = true')")
        assert page.evaluate("window.broken ?? null") is None
        assert len(wrong) == 1
        assert "Content Security Policy" in wrong[0]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_holds_no_script_or_style_that_a_policy_would_stop(site, path):
    html = (site / BELOW / path / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|<[^>]*\sstyle=|<[^>]*\son\w+=", html)
    assert re.findall(r"<script(?![^>]*src=)[^>]*>", html) == []


def test_the_scheme_that_a_reader_chose_stays(browser, address):
    with opened(browser, address, color_scheme="light") as (page, wrong):
        scheme = "document.documentElement.dataset.scheme"
        assert page.evaluate(scheme) == "light"
        for _ in ("to light", "to dark"):
            page.locator("button.scheme").click()
        assert page.evaluate(scheme) == "dark"
        page.goto(address + "chapters/03-bandwidth/")
        assert page.evaluate(scheme) == "dark"
        assert wrong == []


def test_the_search_finds_a_term(browser, address):
    with opened(browser, address + "reference/errata/") as (page, wrong):
        page.get_by_role("textbox", name="Search").fill("balance point")
        first = page.locator(".results a").first
        first.wait_for()
        assert "chapters/03-bandwidth/" in (first.get_attribute("href") or "")
        assert wrong == []
