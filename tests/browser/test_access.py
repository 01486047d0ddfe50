"""axe-core finds nothing wrong with any page: in both schemes, on a desk and on a phone, in use."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import test_pages as pages
from tests.browser.hosting import hosted
from tests.browser.test_pages import BELOW, PAGES, opened
from tests.packages import MODULES

pytestmark = [pytest.mark.browser, pytest.mark.packages]

site, browser = pages.site, pages.browser

DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
SCHEMES = (("light", "light", {}), ("dark", "dark", COLOURS))  # nothing else differs
ALIKE = 40  # rows of a table; those beyond are written by the same lines of code
EXAMINE = """async (rules) => {
  const { violations } = await axe.run(document, { ...rules, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}"""
SHORTEN = (
    "rows => document.querySelectorAll(`tbody tr:nth-child(n + ${rows})`).forEach(r => r.remove())"
)
STILL = "* { transition: none !important; animation: none !important }"  # no colour on its way


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served: at the top of a host, as its not-found page needs."""
    with hosted(site / BELOW) as served:
        yield served


def examine(page: Page, *, views: tuple[dict[str, int], ...] = (DESK, PHONE)) -> None:
    """Assert that nothing is wrong in either scheme. Long tables are examined whole once."""
    page.add_style_tag(content=STILL)
    page.evaluate((MODULES / "axe-core/axe.min.js").read_text("utf-8") + ";0")
    for view in views:
        page.set_viewport_size(view)
        for scheme, name, rules in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            expect(page.locator("html")).to_have_attribute("data-scheme", name)
            assert page.evaluate(EXAMINE, rules) == [], f"{scheme}, {view}"
            page.evaluate(SHORTEN, ALIKE)


@pytest.mark.parametrize("path", [*PAGES, "404.html"])
def test_nothing_is_wrong_with_a_page_and_its_answers(browser, address, path):
    with opened(browser, address + path, bypass_csp=True, color_scheme="light") as (page, wrong):
        if path == "planner/":
            page.wait_for_selector("#plan[data-ready]")
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        examine(page)
        assert wrong == []


def provenance(page: Page) -> None:
    page.locator("a.proven").first.focus()
    page.locator(".note > span").first.wait_for()


def choice(page: Page) -> None:
    page.get_by_label("Your card", exact=True).select_option("rtx-4090")
    page.locator(".live.chosen").first.wait_for()
    page.get_by_label("Your model", exact=True).focus()


def copying(page: Page) -> None:
    page.get_by_role("button", name="copy").first.focus()


def search(page: Page) -> None:
    page.get_by_role("textbox", name="Search").fill("balance point")
    page.locator(".results a").first.wait_for()


def two_plans(page: Page) -> None:
    page.wait_for_selector("#plan[data-ready]")
    page.get_by_role("button", name="Compare with a second plan").click()
    page.get_by_label("Use", exact=True).last.select_option("training")
    expect(page.get_by_role("region")).to_have_count(2)


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("chapters/03-bandwidth/", provenance),
        ("chapters/03-bandwidth/", choice),
        ("chapters/03-bandwidth/", copying),
        ("reference/cite/", search),
        ("planner/", two_plans),
    ],
)
def test_nothing_is_wrong_with_a_page_in_use(
    browser, address, path: str, use: Callable[[Page], None]
):
    with opened(browser, address + path, bypass_csp=True, color_scheme="light") as (page, wrong):
        use(page)
        examine(page)
        assert wrong == []


def test_nothing_is_wrong_with_the_menu_of_a_phone(browser, address):
    url = f"{address}chapters/03-bandwidth/"
    with opened(browser, url, bypass_csp=True, viewport=PHONE) as (page, wrong):
        page.locator("button.opens").click()
        expect(page.get_by_role("link", name="Planner")).to_be_in_viewport()
        examine(page, views=(PHONE,))
        assert wrong == []
