"""Figures that are played and answers that are guessed: by keyboard, by a finger, and for a screen reader."""

import gzip
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from scripts.played import PLAYED
from tests.browser.access import examine
from tests.browser.visits import BANDWIDTH, DESK, LONG, PHONE, choose, opened, strictly_opened

pytestmark = pytest.mark.browser

RULER, ROOFLINE = "chapters/05-quantization/", "chapters/07-inference/"
PATHS = {RULER: "ruler", ROOFLINE: "serving-roofline", LONG: "pipeline-step"}
WEIGHT = 10_000  # bytes that a played figure may cost a page, gzipped
SHIFTS = """() => { window.moved = []; new PerformanceObserver((list) => list.getEntries().forEach(
  ({ value, hadRecentInput }) => hadRecentInput || moved.push(value)))
  .observe({ type: "layout-shift", buffered: true }); }"""


def played(page: Page) -> Locator:
    """The page's first played figure, drawn."""
    figure = page.locator("figure.play").first
    figure.scroll_into_view_if_needed()
    figure.locator("svg").wait_for()
    return figure


def state(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_the_ruler_is_played_by_keyboard_and_shared_by_its_address(browser, address):
    with opened(browser, address + RULER) as (page, wrong):
        said = played(page).get_by_role("status")
        expect(said).to_contain_text("4 bits in groups of 32: 4.5 bits per weight")
        page.get_by_role("slider", name="Bits").focus()
        page.keyboard.press("ArrowLeft")
        expect(said).to_contain_text("3 bits in groups of 32: 3.5 bits per weight")
        page.keyboard.press("Tab")
        page.keyboard.press("Home")
        expect(page.get_by_role("slider", name="Group")).to_have_attribute(
            "aria-valuetext", "8 weights"
        )
        page.keyboard.press("Tab")
        page.keyboard.press("End")
        expect(said).to_contain_text("3 bits in groups of 8: 5 bits per weight")
        wanted = {"ruler.bits": ["3"], "ruler.group": ["8 weights"], "ruler.weight": ["0.160"]}
        assert state(page) == wanted
        words = said.inner_text()
        page.reload()
        expect(played(page).get_by_role("status")).to_have_text(words)
        played(page).get_by_role("button", name="Reset").press("Enter")
        expect(said).to_contain_text("4 bits in groups of 32")
        assert state(page) == {}
        assert wrong == []


def test_the_pipeline_shows_who_waits_and_what_is_kept(browser, address):
    with opened(browser, address + LONG) as (page, wrong):
        said = played(page).get_by_role("status")
        expect(said).to_contain_text("1F1B, 4 stages, 8 micro-batches: 27.3% idle")
        schedule = page.get_by_role("slider", name="Schedule")
        for key, name, idle, kept in (  # as the chapter's program prints it
            ("End", "Zero-bubble", "11.1%", "4"),
            ("ArrowLeft", "Interleaved", "15.8%", "5.5"),
            ("Home", "GPipe", "27.3%", "8"),
        ):
            schedule.press(key)
            expect(said).to_contain_text(f"{name}, 4 stages, 8 micro-batches: {idle} idle.")
            expect(said).to_contain_text(f"The first stage keeps the activations of {kept} at once")
        assert wrong == []


def drag(page: Page, by: float, *, touch: bool) -> None:
    """Take the weight and lead it to the left or right, by a share of the picture."""
    box = page.locator(".handle").bounding_box()
    wide = page.locator(".scene").bounding_box()["width"]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    steps = [x + by * wide * part / 8 for part in range(9)]
    if not touch:
        page.mouse.move(x, y)
        page.mouse.down()
        for each in steps:
            page.mouse.move(each, y)
        page.mouse.up()
        return
    session = page.context.new_cdp_session(page)
    session.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    )
    for each in steps:
        points = [{"x": each, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("touch", [False, True], ids=["pointer", "finger"])
def test_a_weight_is_dragged_and_the_others_fall_to_zero(browser, address, touch):
    view = PHONE if touch else DESK
    with opened(browser, address + RULER, viewport=view, has_touch=touch) as (page, wrong):
        figure = played(page)
        figure.locator(".scene").scroll_into_view_if_needed()
        zeros = figure.locator("circle.zero")
        before, top = zeros.count(), page.evaluate("scrollY")
        drag(page, -0.06, touch=touch)
        expect(page.get_by_role("slider", name="One weight")).not_to_have_value("23")
        assert zeros.count() > before
        assert page.evaluate("scrollY") == top, "the page stays while a weight is dragged"
        assert "ruler.weight" in state(page)
        assert wrong == []


def test_the_roofline_follows_the_readers_card_and_model(browser, address):
    query = "?card=rtx-4090&serving-roofline.batch=128"
    with opened(browser, address + ROOFLINE + query) as (page, wrong):
        said = played(page).get_by_role("status")
        expect(said).to_contain_text("RTX 4090")
        expect(said).to_contain_text("Decoding 128 at once")
        choose(page, card="rtx-3060", model="mixtral-8x7b")
        expect(said).to_contain_text(
            re.compile("RTX 3060.*Mixtral 8x7B.*One card does not hold it")
        )
        points = page.locator("circle.green")
        assert points.count() > 0
        page.get_by_role("slider", name="Weights").press("End")
        expect(said).to_contain_text("INT4, groups of 32. Decoding 128")
        expect(points).to_have_count(0)  # measured in FP16
        choose(page)
        expect(said).to_contain_text("H100")
        assert wrong == []


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("view", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_moves_when_a_figure_becomes_one_that_is_played(browser, address, path, view):
    with opened(browser, address + path, viewport=view) as (page, wrong):
        page.evaluate(SHIFTS)
        figure = played(page)
        height = figure.locator(".scene").evaluate("scene => scene.offsetHeight")
        box = figure.locator("svg").evaluate("svg => svg.getBoundingClientRect().right")
        assert box <= view["width"]
        assert page.evaluate("moved.filter((value) => value > 0.01)") == []
        figure.evaluate("figure => figure.classList.remove('playing')")
        assert figure.locator(".drawing").evaluate("still => still.offsetHeight") == height
        assert wrong == []


@pytest.mark.packages
@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_wrong_with_a_played_figure(browser, address, path):
    with opened(browser, address + path, color_scheme="light") as (page, wrong):
        played(page)
        slider = page.get_by_role("slider").first
        slider.press("ArrowLeft")
        tree = page.locator("figure.play").first.aria_snapshot()
        for control in PLAYED[PATHS[path]].CONTROLS:
            assert f'slider "{control.label}"' in tree
        assert "status" in tree
        assert wrong == []
        examine(page)


def test_a_policy_of_self_alone_stops_nothing(browser, address):
    with strictly_opened(browser, address + RULER) as page:
        played(page)
        assert page.evaluate("stopped") == []


def test_paper_shows_the_static_figure_until_the_reader_changed_it(browser, address):
    with opened(browser, address + RULER) as (page, wrong):
        figure = played(page)
        scene, still = figure.locator(".scene"), figure.locator(".drawing")
        page.emulate_media(media="print")
        expect(still).to_be_visible()
        expect(scene).to_be_hidden()
        page.emulate_media(media="screen")
        page.get_by_role("slider", name="Bits").press("Home")
        page.emulate_media(media="print")
        expect(scene).to_be_visible()
        expect(figure.get_by_role("slider")).to_have_count(0)
        assert wrong == []


def test_without_scripts_a_figure_stays_as_it_is(browser, address):
    with opened(browser, address + RULER, java_script_enabled=False) as (page, wrong):
        figure = page.locator("figure.play").first
        expect(figure.locator("img")).to_be_visible()
        for hidden in (".sliders", ".said"):
            expect(figure.locator(hidden)).to_be_hidden()
        expect(page.locator(".guess").first).to_be_hidden()
        assert wrong == []


def test_a_played_figure_costs_little(site):
    assets = site / "assets"
    shared = [assets / "js/play.js", assets / "css/play.css"]
    for name in PLAYED:
        module = assets / f"arithmetic/play/{name}.js"
        held = [
            assets / f"arithmetic/play/{each}.json"
            for each in ("card/h100-sxm", "model/llama-3.1-8b")
        ]
        files = [*shared, module, *(held if "FOLLOWS" in module.read_text("utf-8") else [])]
        assert sum(len(gzip.compress(file.read_bytes(), 9)) for file in files) <= WEIGHT, name


@pytest.mark.parametrize("touch", [False, True], ids=["keyboard", "finger"])
def test_a_guess_is_compared_with_the_answer(browser, address, touch):
    view = PHONE if touch else DESK
    with opened(browser, address + BANDWIDTH, viewport=view, has_touch=touch) as (page, wrong):
        form = page.locator("form.guess", has_text="ms")
        answer = page.locator("form.guess + details").nth(
            page.locator("form.guess").all_inner_texts().index(form.inner_text())
        )
        guess, button, told = (
            form.get_by_label("Guess first"),
            form.get_by_role("button"),
            form.get_by_role("status"),
        )
        act = (lambda: button.tap()) if touch else (lambda: guess.press("Enter"))
        guess.fill("soon")
        act()
        expect(told).to_have_text("Write a number.")
        expect(answer).not_to_have_attribute("open", "")
        guess.fill("13")
        act()
        expect(told).to_have_text("2.0 times too low.")
        expect(answer).to_have_attribute("open", "")
        expect(answer.locator("strong")).to_have_text("26 ms")
        guess.fill("25.6")
        act()
        expect(told).to_have_text("Right: 2% off.")
        assert wrong == []
