"""What a reader can do on any page: follow a number, an address or a link, search, choose a scheme."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from scripts.javascript.live_numbers import CARDS, MODELS
from tests.browser.visits import (
    BANDWIDTH,
    FOUND,
    LONG,
    PATIENCE,
    PHONE,
    choose,
    first_number,
    follows,
    opened,
    search,
    serious,
)

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["", "planner/", LONG])
def test_nothing_moves_while_a_page_opens_on_a_phone(browser, address, path):
    page = browser.new_page(viewport=PHONE)
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


def test_an_address_leads_to_its_place_far_down_a_page(browser, address):
    with opened(browser, address + LONG, viewport=PHONE) as (page, wrong):
        last = page.locator("article h2").last.get_attribute("id")
        page.goto("about:blank")
        page.goto(f"{address}{LONG}#{last}", wait_until="networkidle")
        place = page.locator(f"[id='{last}']")
        assert page.evaluate("scrollY") > 10_000
        assert 0 < place.evaluate("element => element.getBoundingClientRect().top") < 200
        assert wrong == []


def test_from_page_to_page_and_back_the_choice_stays(browser, address):
    with opened(browser, address + BANDWIDTH) as (page, wrong):
        choose(page, card="rtx-4090", model="gpt2-xl")
        menu = page.get_by_role("navigation", name="Pages")
        for name in ("Quantization", "Planner"):
            menu.get_by_role("link", name=name, exact=True).click()
            expect(page).to_have_title(f"{name} - Sixteen Bytes")
            follows(page, "rtx-4090,gpt2-xl")
            assert urlsplit(page.url).query == "card=rtx-4090&model=gpt2-xl"
        page.go_back()
        expect(page).to_have_title("Quantization - Sixteen Bytes")
        page.go_back()
        expect(page).to_have_title("Bandwidth - Sixteen Bytes")
        follows(page, "rtx-4090,gpt2-xl")
        assert first_number(page) == "1,008 GB/s"
        page.locator("article a[href$='#balance-point']:not(.headerlink)").first.click()
        expect(page.locator("#balance-point")).to_be_in_viewport()
        places = page.get_by_role("navigation", name="On this page").get_by_role("link")
        places.nth(1).click()
        assert page.url.endswith(places.nth(1).get_attribute("href") or "")
        assert serious(wrong) == []


def test_all_cards_and_models_are_offered(browser, address):
    with opened(browser, address) as (page, wrong):
        assert page.locator("#choice-card option").count() == len(CARDS) + 1
        assert page.locator("#choice-model option").count() == len(MODELS) + 1
        assert wrong == []


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without scripts"])
def test_a_proven_number_says_where_it_comes_from(browser, address, script):
    with opened(browser, address, java_script_enabled=script) as (page, wrong):
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
        assert "h100_sxm.memory_bandwidth" in row.inner_text()
        assert serious(wrong) == []


def test_the_policy_stops_what_is_not_of_the_site(browser, address):
    with opened(browser, address) as (page, wrong):
        policy = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")
        assert (policy or "").startswith("default-src 'self'; ")
        assert "unsafe" not in (policy or "")
        assert wrong == []
        page.evaluate("document.body.append(document.createElement('script'))")
        page.evaluate("document.body.lastChild.append('window.broken = true')")
        assert page.evaluate("window.broken ?? null") is None
        assert len(wrong) == 1
        assert "Content Security Policy" in wrong[0]


def test_the_scheme_that_a_reader_chose_stays(browser, address):
    with opened(browser, address, color_scheme="light") as (page, wrong):
        scheme = "document.documentElement.dataset.scheme"
        assert page.evaluate(scheme) == "light"
        for _ in ("to light", "to dark"):
            page.locator("button.scheme").click()
        assert page.evaluate(scheme) == "dark"
        page.goto(address + BANDWIDTH)
        assert page.evaluate(scheme) == "dark"
        assert serious(wrong) == []


@pytest.mark.parametrize(
    ("words", "leads_to"),
    [
        ("balance point", BANDWIDTH),
        ("A = 34 bytes per layer", "chapters/02-training-memory/"),  # in a formula, and around one
        ("parameters, and all units written out", "chapters/02-training-memory/"),
    ],
)
def test_the_search_finds_a_term(browser, address, words, leads_to):
    with opened(browser, address + "reference/errata/") as (page, wrong):
        search(page, words)
        found = page.locator(FOUND)
        assert any(leads_to in (link.get_attribute("href") or "") for link in found.all())
        assert not re.search(r"\\[(\[a-z]+\{|mjx-", " ".join(found.all_inner_texts()))
        assert wrong == []
