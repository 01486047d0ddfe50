"""A reader without a pointer: what is reached, what is seen of it, and what it does."""

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.visits import BANDWIDTH, FOUND, opened, search

pytestmark = pytest.mark.browser


SOON = 5_000  # milliseconds
SEEN = """() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { width, height, top, bottom } = element.getBoundingClientRect();
  const inside = width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  const caret = element.matches("input[type=text]");
  return inside && (caret || (outlineStyle !== "none" && parseFloat(outlineWidth) > 0));
}"""


def walk(page: Page, until: str, *, most: int = 400) -> int:
    """Press Tab until something has the focus; the number of stops. Each must be seen."""
    for stops in range(1, most):
        page.keyboard.press("Tab")
        try:
            page.wait_for_function(SEEN, timeout=SOON)  # what opens on focus takes a moment
        except TimeoutError:
            lost = page.evaluate("document.activeElement.outerHTML")
            raise AssertionError(f"the focus is on something that is not seen: {lost}") from None
        if page.locator(f":focus:is({until})").count():
            return stops
    raise AssertionError(f"{until} is not reached in {most} stops")


def test_the_first_stop_skips_to_the_text(browser, address):
    with opened(browser, address + BANDWIDTH) as (page, wrong):
        assert walk(page, ".skip") == 1
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.locator("article :focus").count() == 1
        assert wrong == []


def test_card_and_model_are_chosen_in_the_header(browser, address):
    with opened(browser, address + BANDWIDTH) as (page, wrong):
        walk(page, "#choice-card")
        page.locator("#choice-card[data-findable]").wait_for()
        page.keyboard.type("4090")
        page.keyboard.press("Enter")
        walk(page, "#choice-model")
        page.keyboard.press("Space")
        page.keyboard.type("qwen3 4")
        expect(page.locator(".finder").get_by_role("option", name="Qwen3 4B")).to_have_attribute(
            "aria-selected", "true"
        )
        page.keyboard.press("Enter")
        changed = page.locator(".live.chosen .assumed").first
        expect(changed).to_contain_text("RTX 4090")
        expect(changed).to_contain_text("Qwen3 4B")
        assert "card=rtx-4090" in page.url
        walk(page, "form.choice button")
        page.keyboard.press("Enter")
        expect(page.locator(".live.chosen")).to_have_count(0)
        assert wrong == []


def test_a_number_a_program_and_an_answer_in_a_chapter(browser, address):
    with opened(
        browser, address + BANDWIDTH, permissions=["clipboard-read", "clipboard-write"]
    ) as (page, wrong):
        page.locator(".skip").focus()
        page.keyboard.press("Enter")
        walk(page, "a.proven")
        note = page.locator(".note > span").first
        note.wait_for()
        page.keyboard.press("Escape")
        expect(note).to_be_hidden()
        walk(page, "button.copy")
        program = page.locator(":focus + code").inner_text()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "async text => (await navigator.clipboard.readText()).trim() === text",
            arg=program.strip(),
        )
        page.locator("summary").first.evaluate("element => element.scrollIntoView()")
        page.locator("#exercises .headerlink").focus()
        walk(page, "summary")
        page.keyboard.press("Enter")
        expect(page.locator("details[open]")).to_have_count(1)
        assert wrong == []


def test_a_term_is_searched_and_its_place_gone_to(browser, address):
    with opened(browser, address + "reference/cite/") as (page, wrong):
        page.keyboard.press("/")
        expect(page.get_by_role("textbox", name="Search")).to_be_focused()
        page.keyboard.type("balance point")
        page.locator(FOUND).first.wait_for()
        page.keyboard.press("ArrowDown")
        expect(page.locator(FOUND).first).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/chapters/03-bandwidth/**")
        assert wrong == []


def test_a_plan_is_made(browser, address):
    with opened(browser, address + "planner/") as (page, wrong):
        page.wait_for_selector("#plan[data-ready]")
        walk(page, "#plan select")
        page.keyboard.type("training")
        expect(page.locator("#plan")).to_contain_text("does not fit")
        walk(page, "#plan summary")
        page.keyboard.press("Enter")
        expect(page.locator("#plan details[open]")).to_have_count(1)
        assert wrong == []


BLOCKED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("forbidden", "SecurityError"); },
});"""


@pytest.mark.parametrize("left", [BLOCKED, "localStorage.setItem('/some/where/.scheme', '{')"])
def test_storage_that_is_forbidden_or_broken_takes_nothing_else_away(browser, address, left):
    context = browser.new_context(color_scheme="dark")
    context.add_init_script(left)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address + BANDWIDTH + "?card=rtx-4090")
    expect(page.locator("html")).to_have_attribute("data-scheme", "dark")
    expect(page.locator(".live.chosen .assumed").first).to_contain_text("RTX 4090")
    search(page, "balance point")
    assert wrong == []
    context.close()
