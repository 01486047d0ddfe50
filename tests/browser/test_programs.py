"""Programs that a reader changes in the page: by keyboard and by a finger, each as Python prints it."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from scripts.javascript.programs import programs
from tests.browser.access import examine
from tests.browser.visits import CHAPTERS, DESK, PHONE, opened, serious
from tests.javascript.test_programs import changed, printed

pytestmark = pytest.mark.browser

INFERENCE = "chapters/07-inference/"


@pytest.mark.parametrize("path", CHAPTERS)
def test_every_program_prints_in_the_page_what_the_page_says(browser, address, path):
    with opened(browser, address + path) as (page, wrong):
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        boxes = page.locator("[data-program]")
        for at in range(boxes.count()):
            boxes.nth(at).get_by_role("button", name="change").click()
        expect(page.locator(".rerun")).to_have_count(boxes.count())
        for told in page.locator(".rerun").all():
            expect(told).to_have_text("As on the page Reset")
        assert boxes.locator(":is(input, select)").count() >= boxes.count()
        assert wrong == []


@pytest.mark.parametrize("touch", [False, True], ids=["keyboard", "finger"])
def test_a_changed_program_differs_from_the_page_until_it_is_reset(browser, address, touch):
    name = "prefill_and_decode"
    view = PHONE if touch else DESK
    with opened(browser, address + INFERENCE, viewport=view, has_touch=touch) as (page, wrong):
        box = page.locator(f"[data-program={name}]")
        written = box.locator("code").inner_text()
        opens = box.get_by_role("button", name="change")
        opens.tap() if touch else opens.press("Enter")
        told = page.locator(".rerun")
        expect(told).to_have_text("As on the page Reset")
        card = box.get_by_label("Instead of h100_sxm")
        if touch:
            card.select_option("h200_sxm")
        else:
            expect(card).to_be_focused()
            page.keyboard.type("NVIDIA H200 SXM")
            page.keyboard.press("Tab")
        context = box.get_by_label("Number, 2048 on the page").last
        context.fill("4096")
        values = [field.text for field in programs()[name].fields]
        values[0], values[-1] = "h200_sxm", "4096"
        expected = printed(changed(programs()[name].text, programs()[name].fields, values))
        expect(told.locator("pre")).to_have_text(expected.strip())
        expect(told).to_contain_text("Differs from the page")
        assert box.locator(".use").first.inner_text() == "h200_sxm"
        address_now = page.url
        assert parse_qs(urlsplit(address_now).query) == {name: [" ".join(values)]}
        page.goto("about:blank")
        page.goto(address_now)
        expect(told.locator("pre")).to_have_text(expected.strip())
        context.fill("many")
        expect(told.locator("pre")).to_have_text("many is no number")
        expect(context).to_have_attribute("aria-invalid", "true")
        context.fill("0")
        expect(told.locator("pre")).to_contain_text("refused: tokens must be")
        reset = told.get_by_role("button", name="Reset")
        reset.tap() if touch else reset.press("Enter")
        expect(told).to_have_count(0)
        assert box.locator("code").inner_text() == written
        assert urlsplit(page.url).query == ""
        assert serious(wrong) == []


def test_a_program_without_end_is_stopped_and_the_page_stays_alive(browser, address):
    with opened(browser, f"{address}chapters/04-parallelism/") as (page, wrong):
        box = page.locator("[data-program=schedules]")
        box.get_by_role("button", name="change").click()
        batches = box.get_by_label("Number, 8 on the page").first
        batches.fill("99999999999")
        expect(page.locator(".rerun pre")).to_have_text(
            re.compile("^(stopped: it ran for five seconds|refused: )"), timeout=20_000
        )
        batches.fill("8")
        expect(page.locator(".rerun")).to_have_text("As on the page Reset")
        assert wrong == []


def test_a_changed_program_is_copied_as_it_is(browser, address):
    permissions = ["clipboard-read", "clipboard-write"]
    with opened(browser, address + INFERENCE, permissions=permissions) as (page, wrong):
        box = page.locator("[data-program=prefill_and_decode]")
        box.get_by_role("button", name="change").click()
        box.get_by_label("Instead of h100_sxm").select_option("h200_sxm")
        expect(page.locator(".rerun pre")).to_be_visible()
        box.get_by_role("button", name="copy").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert (
            copied == programs()["prefill_and_decode"].text.replace("h100_sxm", "h200_sxm").strip()
        )
        assert wrong == []


def test_what_javascript_cannot_run_says_so(browser, address):
    with opened(browser, f"{address}chapters/05-quantization/") as (page, wrong):
        box = page.locator("[data-needs]").first
        box.get_by_role("button", name="change").click()
        expect(page.locator(".rerun")).to_contain_text("NumPy and PyTorch do not run in this page")
        expect(page.locator(".rerun code")).to_have_text(
            f"python {box.get_attribute('data-needs')}"
        )
        assert wrong == []


@pytest.mark.packages
def test_nothing_is_wrong_with_a_program_that_is_changed(browser, address):
    with opened(browser, address + INFERENCE, color_scheme="light") as (page, wrong):
        box = page.locator("[data-program=prefill_and_decode]")
        box.get_by_role("button", name="change").click()
        box.get_by_label("Number, 2048 on the page").last.fill("4096")
        expect(page.locator(".rerun mark").first).to_be_visible()
        tree = page.locator(".rerun").aria_snapshot()
        assert "status" in tree
        assert "Differs from the page" in tree
        assert wrong == []
        examine(page)
