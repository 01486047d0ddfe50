"""The planner's page in a real browser: the command's answers, by keyboard, by address, under a CSP."""

import io
import json
import random
import re
import shlex
import unicodedata
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.browser.visits import choose, opened, serious, strictly_opened
from tests.javascript.plans import command, expected, random_plan

pytestmark = pytest.mark.browser

READY = "#plan[data-ready]"
# The reader's way: each address is followed, and what the page then shows is read.
FOLLOW = """async (addresses) => {
  const shown = [];
  for (const address of addresses) {
    const followed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = address;
    await followed;
    const json = document.querySelector("#plan pre.json");
    shown.push(json ? json.textContent : `refused: ${document.querySelector(".verdict").textContent}`);
  }
  return shown;
}"""


def ready(page: Page) -> None:
    page.wait_for_selector(READY)


def shown_json(page: Page) -> Any:
    return json.loads(page.locator("#plan pre.json").first.text_content() or "")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("plans", [50, pytest.param(500, marks=pytest.mark.thorough)])
def test_random_plans_agree_with_the_command_to_the_byte(browser, address, plans):
    drawing = random.Random(1500)
    asked = [random_plan(drawing) for _ in range(plans)]
    with opened(browser, f"{address}planner/") as (page, wrong):
        ready(page)
        shown = page.evaluate(FOLLOW, [urlencode(each) for each in asked])
        assert wrong == []
    for each, got in zip(asked, shown, strict=True):
        assert got == expected(command(each)), each


def test_an_address_restores_both_plans(browser, address):
    first = {"model": "mixtral-8x7b", "gpu": "a100-80gb-sxm", "format": "q4_0", "gpus": "2"}
    second = {"second.model": "gpt2", "second.train": "", "second.recompute": ""}
    with opened(browser, f"{address}planner/#{urlencode(first | second)}") as (page, wrong):
        ready(page)
        sections = page.get_by_role("region")
        assert sections.count() == 2
        assert sections.nth(0).get_by_label("Format of the weights").input_value() == "q4_0"
        assert sections.nth(1).get_by_label("Recompute activations").is_checked()
        sections.nth(1).get_by_label("Pipeline stages").fill("3")
        kept = page.evaluate("location.href")
        lines = page.locator("pre.command").all_text_contents()
        answers = page.locator("pre.json").all_text_contents()
        assert wrong == []
    with opened(browser, kept) as (page, wrong):
        ready(page)
        assert page.locator("pre.command").all_text_contents() == lines
        assert page.locator("pre.json").all_text_contents() == answers
        assert wrong == []
    for line, answer in zip(lines, answers, strict=True):
        assert expected(shlex.split(line)[1:]) == answer


def test_the_keyboard_alone_plans_and_compares(browser, address):
    with opened(browser, f"{address}planner/") as (page, wrong):
        ready(page)
        compare = page.get_by_role("button", name="Compare with a second plan")
        compare.focus()
        page.keyboard.press("Tab")
        expect(page.get_by_label("Use", exact=True)).to_be_focused()
        page.keyboard.type("training")
        for _ in range(60):
            page.keyboard.press("Tab")
            focused = page.locator(":focus")
            assert focused.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
            if focused.get_attribute("id") == "first-tensor":
                break
        page.keyboard.press("Control+A")
        page.keyboard.type("3")
        status = page.locator("#plan").get_by_role("status")
        expect(status).to_have_text("a tensor split of 3 does not divide 32 heads; 2 and 4 do")
        page.keyboard.press("Control+A")
        page.keyboard.type("8")
        expect(status).to_contain_text("It fits")
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.locator("summary:focus").count():
                break
        page.keyboard.press("Enter")
        expect(page.locator("details[open] pre").first).to_contain_text(
            "stage_parameters(model, stage, tensor=plan.tensor)"
        )
        compare.focus()
        page.keyboard.press("Enter")
        assert page.get_by_role("region").count() == 2
        assert wrong == []


def test_a_pasted_configuration_is_read_as_the_command_reads_it(browser, address, tmp_path):
    config = {
        "model_type": "llama",
        "hidden_size": 2048,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 8192,
        "vocab_size": 128256,
        "max_position_embeddings": 131072,
        "rope_theta": 500000.0,
    }
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    with opened(browser, f"{address}planner/") as (page, wrong):
        ready(page)
        page.get_by_label("Model", exact=True).select_option("config")
        status = page.locator("#plan").get_by_role("status")
        expect(status).to_have_text("Paste the contents of a config.json above.")
        page.get_by_label("The contents of config.json").fill(json.dumps(config))
        page.get_by_label("Its name").fill("mine")
        shown = page.locator("pre.json").text_content()
        line = page.locator("pre.command").text_content() or ""
        assert line == "scripts/plan.py --model=mine/config.json"
        words = ["--model", str(folder / "config.json")]
        assert shown == expected(words)
        page.get_by_label("The contents of config.json").fill('{"model_type": "abacus"}')
        expect(status).to_contain_text("model_type 'abacus' is not known here")
        page.get_by_label("The contents of config.json").fill("{")
        expect(status).to_contain_text("This is not JSON")
        assert wrong == []


def test_the_nearest_plan_can_be_taken(browser, address):
    asked = {"model": "llama-3.1-70b", "gpu": "rtx-4090", "gpus": "2"}
    with opened(browser, f"{address}planner/#{urlencode(asked)}") as (page, wrong):
        ready(page)
        expect(page.locator("#plan").get_by_role("status")).to_contain_text("It does not fit")
        nearest = shown_json(page)["nearest"]
        page.get_by_role("button", name="Take that plan").click()
        expect(page.locator("#plan").get_by_role("status")).to_contain_text("It fits")
        assert shown_json(page)["total_bytes"] == nearest["total_bytes"]
        with page.expect_download() as download:
            page.get_by_role("button", name="Download as JSON").click()
        kept = download.value.path().read_text()
        assert json.loads(kept) == shown_json(page)
        assert wrong == []


@pytest.mark.parametrize(
    "asked",
    [
        "model=llama-3.1-8b&train=&gpus=8",
        "model=falcon-7b&gpu=a10&train=&gpus=8",
        "model=llama-3.1-70b&train=&gpus=64&tensor=8",
        "model=llama-3.1-70b&train=&data=8",
        "model=llama-3.1-70b&train=&gpus=8&micro-batches=1",
        "model=llama-3.1-70b&batch=64&context=131072",
    ],
)
def test_every_plan_that_is_taken_fits_as_it_was_said(browser, address, asked):
    with opened(browser, f"{address}planner/#{asked}") as (page, wrong):
        ready(page)
        nearest = shown_json(page)["nearest"]
        page.get_by_role("button", name="Take that plan").click()
        expect(page.locator("#plan").get_by_role("status")).to_contain_text("It fits")
        assert shown_json(page)["total_bytes"] == nearest["total_bytes"]
        line = page.locator("pre.command").text_content() or ""
        assert expected(shlex.split(line)[1:]) == page.locator("pre.json").text_content()
        assert wrong == []


REFUSED = {  # what a link says: why it is not answered
    "gpu=nonsense": "There is no card called nonsense.",
    "format=int8-row": "There is no format called int8-row.",
    "cache=fp7": "There is no cache format called fp7.",
    "train=&zero=9": "the ZeRO stage must be 0, 1, 2 or 3, not 9",
    "train=&bytes=99": "There is no number of bytes per parameter called 99.",
    "gpu=": "The link says gpu=, which",
    "train=&batch=2": "The link says batch=2, which",
    "recompute=": "The link says recompute=, which",
    "train=&recompute=false": "The link says recompute=false, which",
    "contxt=4096": "The link says contxt=4096, which",
    "name=mine": "The link says name=mine, which",
    "config=%7B%7D": "The link says model=llama-3.1-8b, which",
    "train=&batch=1": None,
    "gpu=t4&context=%2B3": None,
}


def test_what_a_link_says_is_answered_or_refused_by_name(browser, address):
    with opened(browser, f"{address}planner/#model=nonsense") as (page, wrong):
        ready(page)
        status = page.locator("#plan").get_by_role("status")
        expect(status).to_have_text("There is no model called nonsense.")
        got = page.evaluate(FOLLOW, [f"model=llama-3.1-8b&{asked}" for asked in REFUSED])
        for (asked, said), answered in zip(REFUSED.items(), got, strict=True):
            assert answered.startswith(f"refused: {said}" if said else "{"), asked
        page.evaluate(FOLLOW, ["model=gpt2&gpu=nonsense"])
        expect(page.get_by_label("Card", exact=True)).to_have_value(
            "nonsense"
        )  # and what it says is shown
        page.get_by_role("button", name="Compare with a second plan").click()
        expect(page.get_by_role("status").filter(has_text="nonsense")).to_have_count(2)
        second = page.get_by_role("region", name="Second plan")
        second.get_by_label("Card").select_option("t4")
        expect(second.get_by_role("status")).to_contain_text("It fits")
        page.evaluate(FOLLOW, ["model=gpt2&contxt=4096"])
        page.get_by_label("Conversations at once").fill("2")  # the form is what is asked from now
        expect(status).to_contain_text("It fits")
        assert page.url.endswith("#model=gpt2&batch=2")
        assert wrong == []


def test_a_place_on_the_page_is_no_plan(browser, address):
    with opened(browser, f"{address}planner/#planner") as (page, wrong):
        ready(page)
        page.get_by_label("Card", exact=True).select_option("t4")
        page.evaluate("location.hash = 'planner'")
        page.wait_for_function("location.hash === '#planner'")
        expect(page.get_by_label("Card", exact=True)).to_have_value("t4")
        assert shown_json(page)["question"]["gpu"] == "NVIDIA T4 16 GB"
        assert wrong == []


def test_the_link_that_is_copied_is_to_the_plan_that_is_shown(browser, address):
    leave = {"permissions": ["clipboard-read", "clipboard-write"]}
    with opened(browser, f"{address}planner/?card=a10&model=gpt2", **leave) as (page, wrong):
        ready(page)
        shown = shown_json(page)
        page.evaluate("history.replaceState(null, '', location.pathname)")
        page.get_by_role("button", name="Copy the link to this plan").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == f"{address}planner/#model=gpt2&gpu=a10"
        page.goto(copied)
        assert shown_json(page) == shown
        assert serious(wrong) == []


def test_a_plan_is_printed_whole(browser, address):
    asked = "model=gpt2&gpu=t4&context=512&second.model=llama-3.1-8b&second.train=&second.zero=1"
    with opened(browser, f"{address}planner/#{asked}") as (page, wrong):
        ready(page)
        page.locator("details[data-name=json]").evaluate_all(
            "all => all.forEach((each) => (each.open = true))"
        )
        printed = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
        page.emulate_media(media="print")
        cut = "all => all.filter((each) => each.scrollHeight > each.clientHeight + 1).length"
        assert page.locator("#plan pre:visible").count() >= 4
        assert page.locator("#plan pre").evaluate_all(cut) == 0
        assert page.locator("#plan button:visible").count() == 0
        assert wrong == []
    text = unicodedata.normalize("NFKC", " ".join(sheet.extract_text() for sheet in printed))
    text = re.sub(r"\s+", " ", text)
    first, second = text.split("Second plan")
    for words in ("GPT-2", "NVIDIA T4 16 GB", "512", "It fits"):
        assert words in first
    for words in ("Llama 3.1 8B", "NVIDIA H100 SXM", "ZeRO stage", "It does not fit"):
        assert words in second
    for end in ("no launch or network time", "every multiply-add of the dense 16-bit peak"):
        assert end in text  # the last lines of the JSON


def test_short_times_have_a_prefix(browser, address):
    asked = "model=gpt2&gpu=b200-sxm&context=16"
    with opened(browser, f"{address}planner/#{asked}") as (page, wrong):
        ready(page)
        seconds = shown_json(page)["speed"]["prefill_seconds_per_conversation"]
        row = page.locator("table.speeds tr").filter(has_text="reading one prompt")
        assert row.locator("td").inner_text() == f"{seconds * 1e6:.3g} µs"
        assert wrong == []


@pytest.mark.parametrize(
    "asked", ["model=llama-3.1-405b&gpu=t4", "train=&second.train=&model=gpt2"]
)
def test_nothing_scrolls_sideways_on_a_phone(browser, address, asked):
    view = {"width": 390, "height": 844}
    with opened(browser, f"{address}planner/#{asked}", viewport=view) as (page, wrong):
        ready(page)
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        beyond = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert beyond <= 0
        assert wrong == []


def test_the_planner_needs_no_leave_from_a_strict_policy(browser, address):
    with strictly_opened(browser, f"{address}planner/") as page:
        ready(page)
        expect(page.locator("#plan").get_by_role("status")).to_contain_text("It fits")
        stopped = page.evaluate("stopped")
        assert not [each for each in stopped if "/js/plan" in each or "arithmetic" in each]


def test_the_header_and_the_first_plan_follow_each_other(browser, address):
    with opened(browser, f"{address}chapters/03-bandwidth/") as (page, wrong):
        choose(page, card="rtx-4090", model="gpt2-xl")
        page.goto(f"{address}planner/")
        ready(page)
        plan = page.get_by_role("region", name="Plan", exact=True)
        card, model = plan.get_by_label("Card"), plan.get_by_label("Model", exact=True)
        expect(card).to_have_value("rtx-4090")
        expect(model).to_have_value("gpt2-xl")
        choose(page, card="t4", model="gpt2-xl")
        expect(card).to_have_value("t4")
        assert shown_json(page)["question"]["gpu"] == "NVIDIA T4 16 GB"
        model.select_option("llama-3.1-8b")
        page.locator("form.choice[data-shown='t4,llama-3.1-8b']").wait_for(state="attached")
        assert "?card=t4&model=llama-3.1-8b#model=llama-3.1-8b&gpu=t4" in page.url
        model.select_option("config")  # a model of one's own is none of the header's
        expect(page.get_by_label("Your model", exact=True)).to_have_value("llama-3.1-8b")
        page.get_by_label("Your model", exact=True).select_option("gpt2")
        expect(model).to_have_value("gpt2")
        page.get_by_role("button", name="Reset").click()
        expect(card).to_have_value("t4")  # the plan stays
        shared = page.url
        assert shared == f"{address}planner/#model=gpt2&gpu=t4"
        assert serious(wrong) == []
    with opened(browser, f"{address}planner/?card=a10&model=gpt2") as (page, wrong):
        ready(page)
        assert shown_json(page)["question"]["gpu"] == "NVIDIA A10 24 GB"
        page.goto(shared)  # its plan comes before what was chosen
        expect(page.get_by_role("region").get_by_label("Card")).to_have_value("t4")
        assert serious(wrong) == []
    with opened(browser, f"{address}planner/?card=a10&model=gpt2") as (page, wrong):
        ready(page)
        page.get_by_role("button", name="Reset").click()
        expect(page.locator("form.choice")).to_have_attribute("data-shown", ",")
        assert shown_json(page)["question"]["gpu"] == "NVIDIA A10 24 GB"
        assert page.url == f"{address}planner/#model=gpt2&gpu=a10"
        assert serious(wrong) == []


def test_a_fault_stands_at_its_field_with_another_that_can_be(browser, address):
    with opened(browser, f"{address}planner/#model=llama-3.1-8b") as (page, wrong):
        ready(page)
        gpus = page.get_by_label("GPUs", exact=True)
        gpus.fill("7")
        expect(gpus).to_have_attribute("aria-invalid", "true")
        expect(gpus).to_have_accessible_description(re.compile("does not divide 32 heads"))
        fault = page.locator(".field:has(#first-gpus) .fault")
        expect(fault.get_by_role("button")).to_have_text(["Take 4", "Take 8"])
        fault.get_by_role("button", name="Take 8").click()
        expect(gpus).to_have_value("8")
        expect(gpus).to_be_focused()
        expect(gpus).not_to_have_attribute("aria-invalid", "true")
        expect(page.locator("#plan").get_by_role("status")).to_contain_text("It fits")
        page.get_by_label("Conversations at once").fill("many")
        expect(page.locator(".field:has(#first-batch) .fault")).to_contain_text("not many")
        page.get_by_label("Conversations at once").fill("1e3")
        page.get_by_label("Tokens of a conversation").fill("1,000")
        assert (
            shown_json(page)["question"]["batch"] == shown_json(page)["question"]["context"] == 1000
        )
        assert wrong == []


def test_a_service_is_planned_as_the_command_plans_it(browser, address):
    with opened(browser, f"{address}planner/#model=llama-3.1-8b") as (page, wrong):
        ready(page)
        page.get_by_label("Use", exact=True).select_option("a service")
        status = page.locator("#plan").get_by_role("status")
        expect(status).to_contain_text("It takes 1 card: 1 replica,")
        page.get_by_label("Requests per second").fill("1e2")
        page.get_by_label("Each token after it within").fill("40ms")
        page.get_by_label("Price of one GPU for an hour").fill("2.50")
        line = (page.locator("pre.command").text_content() or "").split()
        assert line[:2] == ["scripts/plan.py", "serve"]
        assert expected(line[1:]) == page.locator("pre.json").text_content()
        found = shown_json(page)
        expect(status).to_contain_text(
            f"It takes {found['cards']} cards: {found['replicas']} replicas"
        )
        shared = page.url
        page.get_by_label("Each token after it within").fill("1ms")
        expect(page.locator(".field:has(#first-tpot) .fault")).to_contain_text(
            "alone, a request has"
        )
        page.goto("about:blank")
        page.goto(shared)
        ready(page)
        assert shown_json(page) == found
        assert serious(wrong) == []


def test_thin_parts_are_enlarged_and_lit_with_their_rows(browser, address):
    asked = {"model": "llama-3.1-70b"}
    with opened(browser, f"{address}planner/#{urlencode(asked)}", forced_colors="active") as (
        page,
        wrong,
    ):
        ready(page)
        expect(page.locator(".bar")).to_have_count(2)
        cache = page.locator(".bar").last.locator("[data-part=cache]")
        assert cache.bounding_box()["width"] > 100
        cache.hover()
        expect(page.locator("tr.lit")).to_contain_text("cache")
        page.mouse.move(0, 0)
        page.locator("tr[data-part=driver] summary").focus()
        expect(page.locator(".bar .lit")).to_have_count(2)
        fill = "element => getComputedStyle(element).backgroundColor"
        parts = page.locator(".bar").first.locator("[data-part]").all()
        assert len({part.evaluate(fill) for part in parts}) == len(parts), (
            "no part takes another's colour"
        )
        limit = page.locator(".bar-ends > .limit")
        expect(limit).to_have_text("the card has 79.65 GiB")
        end = page.locator(".bar > .end").bounding_box()
        box = limit.bounding_box()
        assert min(abs(end["x"] - box["x"]), abs(end["x"] - box["x"] - box["width"])) < 8
        assert wrong == []


def test_a_configuration_is_pasted_from_any_page(browser, address):
    with opened(browser, f"{address}chapters/03-bandwidth/") as (page, wrong):
        page.get_by_role("link", name="or paste a configuration").click()
        ready(page)
        expect(page.get_by_label("The contents of config.json")).to_be_visible()
        assert serious(wrong) == []
