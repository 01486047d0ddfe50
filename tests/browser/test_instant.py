"""Going from page to page within the site: nothing is loaded afresh, and everything is right, back too."""

import re

import pytest
from playwright.sync_api import Page, expect

from scripts.javascript.live import CARDS, MODELS
from tests.browser import test_pages as pages
from tests.browser.test_live import choose, first_number
from tests.browser.test_pages import opened

pytestmark = pytest.mark.browser

site, address, browser = pages.site, pages.address, pages.browser
STAYED = "window.stayed ?? null"
FONTS = """all => all.map(e => getComputedStyle(e).fontFamily).filter(f => !f.startsWith("MJX"))"""


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation, as a reader does: once the page stands still."""
    places = page.locator(".md-nav--primary a, article a, .md-header a").filter(visible=True)
    link = places.filter(has_text=re.compile(f"^\\s*{name}\\s*$")).first
    link.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    link.click()


def arrived(page: Page, title: str) -> None:
    """The page is there, without having been loaded, and what a reader chose still holds."""
    expect(page).to_have_title(title)
    page.locator("form.choice[data-shown='rtx-4090,gpt2-xl']").wait_for(state="attached")
    page.wait_for_function("() => location.search === '?card=rtx-4090&model=gpt2-xl'")
    assert page.evaluate(STAYED) == 1
    assert page.locator(".arithmatex mjx-math").evaluate_all(FONTS) == []
    images = "all => all.filter(e => e.complete && !e.naturalWidth).map(e => e.src)"
    assert page.locator("article img").evaluate_all(images) == []


def test_home_chapter_planner_and_back(browser, address):
    home, chapter, planner = (
        "Home - Sixteen Bytes",
        "Bandwidth - Sixteen Bytes",
        "Planner - Sixteen Bytes",
    )
    with opened(browser, address) as (page, wrong):
        page.evaluate("window.stayed = 1")
        choose(page, card="rtx-4090", model="gpt2-xl")
        go(page, "Bandwidth")
        arrived(page, chapter)
        assert first_number(page) == "1,008 GB/s"
        assert page.locator(".arithmatex").count() > 10
        assert page.evaluate("scrollY") == 0
        go(page, "Planner")
        arrived(page, planner)
        page.wait_for_selector("#plan[data-ready]")
        expect(page.locator("#plan").get_by_role("status").first).to_contain_text("It fits")
        page.go_back()
        arrived(page, chapter)
        assert first_number(page) == "1,008 GB/s"
        page.go_back()
        arrived(page, home)
        assert first_number(page) == "1,008 GB/s"
        page.go_forward()
        arrived(page, chapter)
        page.go_forward()
        arrived(page, planner)
        page.wait_for_selector("#plan[data-ready]")
        go(page, "Hardware")
        arrived(page, "Hardware - Sixteen Bytes")
        assert not page.locator("form.choice").is_visible()  # nothing on this page follows it
        go(page, "Home")
        arrived(page, home)
        page.get_by_role("button", name="change").first.click()
        expect(page.get_by_label("Your card", exact=True)).to_be_focused()
        page.get_by_role("button", name="Reset").click()
        page.locator("form.choice[data-shown=',']").wait_for()
        assert first_number(page) == "3,350 GB/s"
        page.locator("h2 .headerlink").first.evaluate("link => link.click()")
        page.wait_for_function("() => location.hash !== ''")
        assert "?" not in page.url
        go(page, "Bandwidth")
        expect(page).to_have_title(chapter)
        assert first_number(page) == "3,350 GB/s"
        assert "?" not in page.url
        assert wrong == []


def test_a_place_on_another_page_is_gone_to_and_come_back_from(browser, address):
    with opened(browser, address + "chapters/03-bandwidth/") as (page, wrong):
        page.evaluate("window.stayed = 1")
        link = page.locator("article a[href$='#balance-point']:not(.headerlink)").first
        link.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        before = page.evaluate("scrollY")
        link.click()
        expect(page).to_have_title("Glossary - Sixteen Bytes")
        place = page.locator("#balance-point")
        expect(place).to_be_in_viewport()
        assert page.evaluate(STAYED) == 1
        page.go_back()
        expect(page).to_have_title("Bandwidth - Sixteen Bytes")
        page.wait_for_function("(before) => Math.abs(scrollY - before) < 2", arg=before)
        assert wrong == []


def test_all_cards_and_models_are_offered_on_every_page(browser, address):
    with opened(browser, address + "reference/errata/") as (page, wrong):
        assert page.locator("#choice-card option").count() == len(CARDS) + 1
        assert page.locator("#choice-model option").count() == len(MODELS) + 1
        assert wrong == []


def test_steps_within_a_page_do_not_load_it_again(browser, address):
    with opened(browser, address + "chapters/03-bandwidth/") as (page, wrong):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.locator("article").evaluate("article => (article.kept = true)")
        places = page.locator(".md-sidebar--secondary .md-nav__link")
        for place in (1, 2):
            places.nth(place).click()
            target = (places.nth(place).get_attribute("href") or "").partition("#")[2]
            expect(page.locator(f"#{target}")).to_be_in_viewport()
            assert page.url.endswith(f"#{target}")
        page.go_back()
        first = (places.nth(1).get_attribute("href") or "").partition("#")[2]
        expect(page.locator(f"#{first}")).to_be_in_viewport()
        assert page.locator("article").evaluate("article => article.kept")
        assert not [url for url in asked if "bandwidth" in url]
        go(page, "Planner")
        expect(page).to_have_title("Planner - Sixteen Bytes")
        page.go_back()
        expect(page).to_have_title("Bandwidth - Sixteen Bytes")
        assert page.url.endswith(f"#{first}")
        assert wrong == []
