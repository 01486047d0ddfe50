"""axe-core finds nothing wrong with pages in use, and with any page in both schemes at both widths."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import examine
from tests.browser.hosting import hosted
from tests.browser.visits import BANDWIDTH, DESK, PAGES, PHONE, opened, search

pytestmark = [pytest.mark.browser, pytest.mark.packages]


@pytest.mark.thorough
@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_wrong_with_a_page_and_its_answers(browser, address, path):
    with opened(browser, address + path, color_scheme="light") as (page, wrong):
        if path == "planner/":
            page.wait_for_selector("#plan[data-ready]")
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        assert wrong == []
        examine(page, rows=400)


def test_nothing_is_wrong_with_a_page_that_is_not_there(browser, site):
    with (
        hosted(site) as address,  # at the top of a host, as this page needs
        opened(browser, f"{address}404.html") as (page, wrong),
    ):
        assert page.locator("h1").inner_text() == "Not found"
        assert wrong == []
        examine(page)


def provenance(page: Page) -> None:
    page.locator("a.proven").first.focus()
    page.locator(".note > span").first.wait_for()


def choice(page: Page) -> None:
    page.get_by_label("Your card", exact=True).select_option("rtx-4090")
    page.locator(".live.chosen").first.wait_for()
    page.get_by_label("Your model", exact=True).focus()


def finding(page: Page) -> None:
    page.get_by_label("Your card", exact=True).focus()
    page.locator("#choice-card[data-findable]").wait_for()
    page.keyboard.type("40")
    page.locator(".finder [aria-selected=true]").wait_for()


def a_fault(page: Page) -> None:
    page.wait_for_selector("#plan[data-ready]")
    page.get_by_label("GPUs", exact=True).fill("7")
    page.locator(".fault button").first.wait_for()


def a_service(page: Page) -> None:
    page.wait_for_selector("#plan[data-ready]")
    page.get_by_label("Use", exact=True).select_option("a service")
    page.locator("table.service").wait_for()


def copying(page: Page) -> None:
    page.locator("button.copy").first.focus()


def searching(page: Page) -> None:
    search(page, "balance point")


def menu(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("link", name="Planner", exact=True)).to_be_in_viewport()


def two_plans(page: Page) -> None:
    page.wait_for_selector("#plan[data-ready]")
    page.get_by_role("button", name="Compare with a second plan").click()
    page.get_by_label("Use", exact=True).last.select_option("training")
    expect(page.get_by_role("region")).to_have_count(2)


@pytest.mark.parametrize(
    ("path", "use"),
    [
        (BANDWIDTH, provenance),
        (BANDWIDTH, choice),
        (BANDWIDTH, copying),
        (BANDWIDTH, menu),
        ("reference/cite/", searching),
        ("planner/", two_plans),
        ("planner/", a_fault),
        ("planner/", a_service),
        (BANDWIDTH, finding),
    ],
)
def test_nothing_is_wrong_with_a_page_in_use(browser, address, path, use):
    with opened(browser, address + path, color_scheme="light") as (page, wrong):
        use(page)
        assert wrong == []
        examine(page, views=(PHONE,) if use is menu else (DESK,))
