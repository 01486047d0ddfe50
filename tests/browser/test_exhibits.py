"""Downloads and notes in a real browser: for a pointer, a keyboard and a finger."""

import csv
import json
import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.visits import BANDWIDTH, PHONE, opened, serious

pytestmark = pytest.mark.browser


ROOFLINE = "Roofline of operations per second"


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without scripts"])
def test_a_table_and_a_figure_are_downloaded_by_keyboard(browser, address, tmp_path, script):
    with opened(browser, address + BANDWIDTH, java_script_enabled=script) as (page, wrong):
        for name, file in (
            ("Download the table “bandwidth” as CSV", "bandwidth.csv"),
            ("Download the table “bandwidth” as JSON", "bandwidth.json"),
            (f"Download the data of the figure “{ROOFLINE}” as CSV", "roofline.csv"),
            (f"Download the figure “{ROOFLINE}” as SVG", "roofline.svg"),
        ):
            link = page.get_by_role("link", name=name, exact=True)
            link.focus()
            with page.expect_download() as started:
                page.keyboard.press("Enter")
            assert started.value.suggested_filename == file
            started.value.save_as(tmp_path / file)
        assert wrong == []
    table = list(csv.DictReader((tmp_path / "bandwidth.csv").open()))
    copies = {row["device"]: row["measured"] for row in table if row["work"] == "copy"}
    assert copies["rtx-3060-transcribed"] == "333"
    assert json.loads((tmp_path / "bandwidth.json").read_text())["columns"] == [
        *("device", "work", "vectors", "datasheet", "predicted", "measured"),
        "measured over predicted",
    ]
    assert len(list(csv.DictReader((tmp_path / "roofline.csv").open()))) > 20
    assert (tmp_path / "roofline.svg").read_text().startswith("<?xml")


def test_what_is_for_the_screen_is_not_printed(browser, address):
    with opened(browser, address + BANDWIDTH) as (page, wrong):
        offers = page.locator(".downloads")
        assert offers.first.is_visible()
        page.emulate_media(media="print")
        assert not any(offer.is_visible() for offer in offers.all())
        assert wrong == []


def test_a_note_on_a_measurement_says_all_of_it(browser, address):
    with opened(browser, address + BANDWIDTH) as (page, wrong):
        number = page.locator("table a.proven-record", has_text="GB/s").first
        number.hover()
        note = page.locator(".note")
        note.get_by_text("samples").wait_for()
        said = note.inner_text()
        for part in (
            "recorded: ",
            "measured 20",
            "median ",
            "quartiles ",
            "python scripts/build.py",
        ):
            assert part in said
        link = note.get_by_role("link", name="See it in the ledger")
        assert "/reference/ledger/#p-" in (link.get_attribute("href") or "")
        link.hover()  # the way from the number to the note does not close it
        assert link.is_visible()
        page.mouse.move(5, 5)
        note.wait_for(state="detached")
        assert number.get_attribute("title").startswith("recorded: ")
        assert wrong == []


def test_a_note_on_a_result_says_the_values_of_its_expression(browser, address):
    with opened(browser, address) as (page, wrong):
        number = page.get_by_role("link", name="209 tokens/s").first
        number.focus()
        note = page.locator(".note")
        note.get_by_text("gives 208.586").wait_for()
        assert "h100_sxm.memory_bandwidth = 3,350,000,000,000" in note.inner_text()
        page.keyboard.press("Tab")  # into the note, which stands right after the number
        assert page.locator(":focus").inner_text() == "See it in the ledger"
        page.keyboard.press("Shift+Tab")  # and back: the note stays
        assert "proven" in (page.locator(":focus").get_attribute("class") or "")
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "See it in the ledger"
        page.keyboard.press("Escape")
        note.wait_for(state="detached")
        expect(number).to_be_focused()  # the reader goes on from where they were
        page.wait_for_timeout(300)
        assert note.count() == 0
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() != "See it in the ledger"
        assert wrong == []


def test_a_first_tap_opens_the_note_and_a_second_follows_the_number(browser, address):
    with opened(browser, address + BANDWIDTH, viewport=PHONE, has_touch=True, is_mobile=True) as (
        page,
        wrong,
    ):
        number, other = (page.locator("article p > a.proven-calc").nth(at) for at in (0, 2))
        number.tap()
        note = page.locator(".note")
        note.get_by_text("gives ").wait_for()
        assert urlsplit(page.url).path.endswith(BANDWIDTH)
        box = note.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
        page.locator("h1").tap()
        note.wait_for(state="detached")
        other.tap()
        note.get_by_text("gives ").wait_for()
        other.tap()
        page.wait_for_url("**/reference/ledger/#p-*")
        page.go_back()
        page.locator("article p > a.proven-calc").first.tap()
        page.locator(".note a").tap()
        page.wait_for_url("**/reference/ledger/#p-*")
        # What a page still asks for when it is left, the browser gives up.
        assert serious(wrong) == []


def test_a_number_that_follows_the_reader_says_where_its_own_figures_were_read(browser, address):
    with opened(browser, f"{address}{BANDWIDTH}?card=rtx-4090") as (page, wrong):
        page.locator("div.live.chosen").first.wait_for()
        bandwidth, _, _, _, ceiling = page.locator("div.live a[data-written]").all()[:5]
        note = page.locator(".note")
        bandwidth.focus()
        expect(note.get_by_role("link")).to_have_text("See it in the ledger")
        said = note.locator(":scope > *").all_inner_texts()
        assert said[:2] == ["cited: rtx_4090.memory_bandwidth", "gives 1,008,000,000,000"]
        assert "RTX 4090" in said[3], "the section of a document"
        assert "h100" not in note.inner_text()
        ceiling.focus()
        expect(note.locator("b", has_text="computed: decode_ceiling(rtx_4090")).to_be_visible()
        # 16,060,522,496 bytes of Llama 3.1 8B
        expect(note.get_by_role("link")).to_have_text("See it in the ledger")
        inputs = ["rtx_4090.memory_bandwidth = 1,008,000,000,000", "gives 62.76259"]
        assert note.locator("span").all_inner_texts()[:2] == inputs
        row = ceiling.get_attribute("href")
        note.get_by_role("link").click()
        page.wait_for_url("**/reference/ledger/#p-*")
        expect(page.locator(f"tr:has(#{row.partition('#')[2]})")).to_contain_text("rtx_4090")
        assert serious(wrong) == []


def test_what_has_no_figure_is_left_out_until_there_is_one(browser, address):
    with opened(browser, f"{address}{BANDWIDTH}?card=epyc-9654") as (page, wrong):
        number = page.locator("div.live.chosen a[title='cited: epyc_9654.dense_fp16']").first
        expect(number).to_be_hidden()
        page.get_by_role("button", name="Reset").click()
        page.locator("form.choice[data-shown=',']").wait_for()
        back = page.locator("div.live a", has_text="989 TFLOP/s").first
        expect(back).to_have_attribute("title", "cited: h100_sxm.dense_fp16")
        expect(back).to_have_attribute("href", re.compile(r"/reference/ledger/#p-\w{8}$"))
        expect(page.locator(".lacks:visible")).to_have_count(0)
        assert wrong == []


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without scripts"])
def test_the_devices_of_a_table_are_chosen_by_pointer_and_by_keyboard(browser, address, script):
    with opened(browser, address + BANDWIDTH, java_script_enabled=script) as (page, wrong):
        tabs = page.locator(".tabbed-set", has_text="rtx-3060").first
        mine, other = (tabs.locator(".tabbed-block").nth(at) for at in (0, 1))
        assert mine.is_visible()
        assert not other.is_visible()
        tabs.locator("label", has_text="rtx-3060").click()
        assert other.get_by_text("333 GB/s").is_visible()
        assert other.locator(".measured").inner_text().startswith("NVIDIA GeForce RTX 3060: ")
        assert not mine.is_visible()
        tabs.locator("input").nth(1).focus()
        page.keyboard.press("ArrowLeft")
        assert mine.is_visible()
        assert not other.is_visible()
        page.emulate_media(media="print")
        assert mine.is_visible()
        assert other.is_visible()  # on paper nobody chooses
        assert wrong == []


def test_a_note_on_a_phone_does_not_cover_the_passage_that_it_explains(browser, address):
    with opened(browser, address + BANDWIDTH, viewport=PHONE, has_touch=True, is_mobile=True) as (
        page,
        wrong,
    ):
        number = page.locator("article p > a.proven-calc").nth(2)
        # Where the number is at the lower edge, and the note would lie upon it.
        number.evaluate(
            "element => scrollBy(0, element.getBoundingClientRect().bottom - innerHeight + 4)"
        )
        number.tap()
        note = page.locator(".note")
        note.get_by_text("gives ").wait_for()
        page.wait_for_function(
            "() => document.querySelector('.note').getBoundingClientRect().top"
            " >= document.querySelector('[aria-describedby=note]').getBoundingClientRect().bottom"
        )
        assert wrong == []
