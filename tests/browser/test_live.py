"""Live passages in a real browser: every number is Python's, for any card and model, and the choice stays."""

import gzip
import random
import re

import pytest
from playwright.sync_api import Page, expect

import snippets
from scripts.handbook import this_book as told
from scripts.javascript.live_numbers import CARDS, MODELS, assumed
from scripts.proof import bibliography
from scripts.proof.evaluate import Evaluator, Wrong
from scripts.proof.namespace import names_of
from scripts.proof.numbers import split_unit
from scripts.proof.written import parse_written
from scripts.records import record as records
from scripts.site.live_marks import shown
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS as MODELS_BY_SLUG
from tests.browser.visits import (
    BANDWIDTH,
    CHAPTERS,
    DESK,
    PAGES,
    PHONE,
    ROOT,
    choose,
    first_number,
    follows,
    opened,
    serious,
    strictly_opened,
)

pytestmark = pytest.mark.browser


LIVE = [
    path
    for path in PAGES
    if not path.startswith("labs/")
    and '<div class="live"'
    in (ROOT / "docs" / (f"{path.rstrip('/')}.md" if path else "index.md")).read_text("utf-8")
]
WEIGHT = 12_500  # bytes of script for live passages, gzipped
OTHER_WORK = ("/scheme.js", "/page.js", "/search.js", "/notes.js", "/play.js", "/programs.js")
NUMBERS = "all => all.map(a => [a.textContent, a.title])"
NONSENSE = re.compile(r"NaN|undefined|Infinity|null|−\d|\(no |(?<![\d.,])0 (?:GB|tokens)")
CHOOSE = """async (choices) => {
  const form = document.querySelector("form.choice");
  const found = [];
  for (const [card, model] of choices) {
    form.elements.card.value = card;
    form.elements.model.value = model;
    form.dispatchEvent(new Event("change"));
    while (form.dataset.shown !== `${card},${model}`) await new Promise((done) => setTimeout(done));
    found.push({
      numbers: [...document.querySelectorAll("a[data-written]")].map((a) =>
        [a.textContent, a.title, a.closest("[data-sentence]").hidden]),
      said: [...document.querySelectorAll("div.live")].map((each) => each.innerText),
    });
  }
  return found;
}"""
OBJECTS = {"card": {s: n for n, s in CARDS.items()}, "model": {s: n for n, s in MODELS.items()}}


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    entries = bibliography.read_bibliography(ROOT / told.BIBLIOGRAPHY)
    return Evaluator(names_of(snippets), records.read_all(ROOT), entries)


def expected(evaluator: Evaluator, text: str, title: str, card: str, model: str) -> list[str]:
    """What a number says for a choice ("" for none), and its origin; as written where it is left out."""
    said, _, whole = title.partition(": ")
    expression, unit = split_unit(whole)
    for own, chosen in zip(assumed(expression), (card, model), strict=True):
        if own and chosen:
            expression = re.sub(rf"\b{own}\b", chosen, expression)
    if expression == split_unit(whole)[0]:
        return [text, title]
    title = f"{said}: {expression}{f' in {unit}' if unit else ''}"
    figures = re.findall(rf"\b{card}\.\w+", expression) if card else []
    if any(evaluator.evaluate(figure) is None for figure in figures):
        return [text, title]
    try:
        value = evaluator.evaluate(expression)
    except Wrong:
        return [text, title]
    if value < 0:
        return [text, title]
    written = parse_written(text, unit=unit)
    return [shown(text, written, value), title]


def test_every_chapter_has_live_passages(site):
    assert {"", *CHAPTERS} <= set(LIVE)
    built = [(site / path / "index.html").read_text("utf-8") for path in LIVE]
    assert sum(html.count('<div class="live"') for html in built) >= 25


@pytest.mark.parametrize(
    ("cards", "models"), [(5, 3), pytest.param(10_000, 5, marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize("path", LIVE)
def test_every_number_is_what_python_computes_and_the_script_is_light(
    browser, address, site, evaluator, path, cards, models
):
    draw = random.Random(path)
    chosen = draw.sample(list(MODELS_BY_SLUG), models)
    among = draw.sample(list(ACCELERATORS), min(cards, len(ACCELERATORS)))
    choices = [(card, model) for card in among for model in chosen]
    choices += [("", chosen[0]), ("rtx-4090", ""), ("", "")]
    with opened(browser, address + path) as (page, wrong):
        expect(page.locator("form.choice")).to_have_attribute("data-shown", ",")
        written = page.locator("a[data-written]").evaluate_all(NUMBERS)
        found = page.evaluate(CHOOSE, choices)
        asked = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
        assert wrong == []
    for (card, model), each in zip(choices, found, strict=True):
        objects = OBJECTS["card"].get(card, ""), OBJECTS["model"].get(model, "")
        for (text, title), (*number, _) in zip(written, each["numbers"], strict=True):
            assert number == expected(evaluator, text, title, *objects), (card, model)
        for said in each["said"]:
            assert not NONSENSE.search(said), (card, model, said)
            assert len(said) > 60, (card, model, said)
    assert [number[:2] for number in found[-1]["numbers"]] == written
    assert not any(hidden for *_, hidden in found[-1]["numbers"])
    files = [
        site / url.removeprefix(address)
        for url in asked
        if url.endswith((".js", ".json")) and not url.endswith(OTHER_WORK) and "/play/" not in url
    ]
    assert {file.name for file in files} > {"live.js", "written.js"}
    assert sum(len(gzip.compress(file.read_bytes(), 9)) for file in files) <= WEIGHT


def test_names_follow_and_what_is_not_published_is_said(browser, address):
    with opened(browser, address + BANDWIDTH) as (page, wrong):
        choose(page, card="gaudi-3", model="mixtral-8x7b")
        line = page.locator(".assumed").first
        routed = "Mixtral 8x7B (reading only the experts that it routes to)"
        expect(line).to_have_text(f"For a Gaudi 3 and {routed} · change")
        for about in page.locator(".example[data-card]").all():
            expect(about).to_have_class(re.compile("other"))
        page.goto(address + "chapters/01-number-formats/")
        expect(page.locator(".assumed").first).to_have_text("For Mixtral 8x7B · change")
        page.goto(address)
        expect(page.locator(".live").first).to_contain_text("A Gaudi 3 moves 3,700 GB/s")
        choose(page, card="rtx-4090")
        expect(page.locator(".live").first).to_contain_text("An RTX 4090 moves 1,008 GB/s")
        assert serious(wrong) == []


def test_what_a_card_lacks_and_what_does_not_fit_is_left_out_and_said(browser, address):
    """An M4 Max has no published FP16 peak; six RTX 4090 of 23.99 GiB hold 141.1 GB."""
    with opened(browser, f"{address}{BANDWIDTH}?card=m4-max") as (page, wrong):
        follows(page, "m4-max,")
        passage = page.locator(".live", has_text="For an M4 Max ·").first
        expect(passage.locator(".lacks")).to_have_text(re.compile("^Left out: .* published"))
        expect(passage.get_by_text("FP16 peak")).to_be_hidden()
        choose(page, card="rtx-4090", model="llama-3.1-70b")
        expect(passage.locator(".lacks")).to_be_hidden()
        line = page.locator(".assumed").first
        expect(line).to_contain_text("(the weights in FP16 need 6 of them)")
        choose(page, card="b200-sxm", model="llama-3.1-70b")
        expect(line).to_have_text("For a B200 SXM and Llama 3.1 70B · change")
        assert serious(wrong) == []


def test_a_model_of_experts_is_stored_whole_and_read_in_part(browser, address):
    """DeepSeek-V3 has 671,026,419,200 parameters, of which a token uses 37,552,297,472."""
    for path in ("", BANDWIDTH):
        with opened(browser, f"{address}{path}?model=deepseek-v3") as (page, wrong):
            live = page.locator(".live.chosen").first
            numbers = live.locator("a[data-written]")
            expect(numbers.nth(1)).to_have_text("671 billion")
            expect(numbers.nth(2)).to_have_text("1,342 GB")
            expect(numbers.nth(3)).to_have_text("75 GB")
            expect(live).to_contain_text("each token reads 75 GB of them")
            expect(numbers.nth(4)).to_have_text("45 tokens/s")
            assert wrong == []


def test_the_choice_stays_over_pages_reload_and_address_until_it_is_reset(browser, address):
    with opened(browser, address + BANDWIDTH) as (page, wrong):
        own = first_number(page)
        choose(page, card="rtx-4090", model="gpt2-xl")
        assert first_number(page) == "1,008 GB/s"
        shared = page.url
        assert shared.endswith("?card=rtx-4090&model=gpt2-xl")
        page.reload()
        follows(page, "rtx-4090,gpt2-xl")
        page.goto(address)
        follows(page, "rtx-4090,gpt2-xl")
        assert page.url == f"{address}?card=rtx-4090&model=gpt2-xl"
        choose(page, card="t4")
        page.go_back()
        follows(page, "t4,")  # the reader's last word holds
        page.get_by_role("button", name="Reset").click()
        follows(page, ",")
        assert page.url == address + BANDWIDTH
        assert first_number(page) == own
        page.reload()
        follows(page, ",")
        assert serious(wrong) == []
    with opened(browser, f"{shared}#the-balance-point") as (page, wrong):
        follows(page, "rtx-4090,gpt2-xl")
        assert first_number(page) == "1,008 GB/s"
        heading = page.locator("#the-balance-point").bounding_box()
        header = page.locator("header").bounding_box()
        assert heading
        assert header
        assert heading["y"] >= header["y"] + header["height"] - 1
        page.goto(f"{address}?card=abacus&model=gpt2")
        follows(page, ",gpt2")
        assert serious(wrong) == []


def _typed(page: Page, name: str, *, shown: str) -> None:
    """Choose by typing any part of a name."""
    page.locator("select:focus[data-findable]").wait_for()  # it comes once somebody reaches for it
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    follows(page, shown)


def test_the_keyboard_alone_chooses_and_resets(browser, address):
    with opened(browser, address) as (page, wrong):
        outlined = "element => getComputedStyle(element).outlineStyle"
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.locator("#choice-card:focus").count():
                break
        assert page.locator(":focus").evaluate(outlined) != "none"
        _typed(page, "rtx 4090 24", shown="rtx-4090,")
        page.keyboard.press("Tab")
        _typed(page, "2 xl", shown="rtx-4090,gpt2-xl")
        said = "Numbers for NVIDIA GeForce RTX 4090 24 GB and GPT-2 XL"
        expect(page.get_by_role("status").first).to_have_text(said)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        follows(page, ",")
        page.get_by_role("button", name="change").first.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Your card", exact=True)).to_be_focused()
        assert wrong == []


@pytest.mark.parametrize("view", [DESK, PHONE], ids=["wide", "phone"])
def test_a_choice_moves_nothing_by_more_than_a_line(browser, address, view):
    heights = "all => all.map(e => e.getBoundingClientRect().height)"
    with opened(browser, address + BANDWIDTH, viewport=view) as (page, wrong):
        bar = page.locator("form.choice").bounding_box()
        text = page.locator(".live > *")
        before = text.evaluate_all(heights)
        choose(page, card="rtx-2080-ti", model="qwen2.5-32b")
        after = text.evaluate_all(heights)
        style = "p => parseFloat(getComputedStyle(p).lineHeight)"
        line = page.locator(".live > p").nth(1).evaluate(style)
        assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= line + 1
        assert page.locator("form.choice").bounding_box() == bar
        assert wrong == []


def test_a_number_says_what_it_was_computed_from(browser, address):
    with opened(browser, address) as (page, wrong):
        choose(page, card="rtx-4090", model="gpt2")
        number = page.locator(".live a[data-written]", has_text="tokens/s")
        says = number.get_attribute("title") or ""
        assert says.startswith("computed: decode_ceiling(rtx_4090.memory_bandwidth, ")
        assert "gpt2" in says
        number.hover()
        page.locator(".note", has_text=says).wait_for()
        assert wrong == []


def test_nothing_is_fetched_before_a_choice(browser, address):
    asked: list[str] = []
    with opened(browser, address + "reference/errata/") as (page, wrong):
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address + BANDWIDTH, wait_until="networkidle")
        assert any(url.endswith("assets/js/live.js") for url in asked)
        assert not any("/arithmetic/" in url for url in asked)
        choose(page, card="t4")
        assert sum("/arithmetic/" in url for url in asked) == 1
        page.reload(wait_until="networkidle")
        follows(page, "t4,")
        page.get_by_role("button", name="Reset").click()
        page.goto(address, wait_until="networkidle")
        asked.clear()
        page.get_by_label("Your model", exact=True).hover()  # reaching for it is enough
        page.wait_for_function(
            "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('arithmetic'))"
        )
        assert sum("/arithmetic/" in url for url in asked) == 1
        assert serious(wrong) == []


def test_the_written_text_stands_without_javascript(browser, address, site):
    with opened(browser, f"{address}?card=t4", java_script_enabled=False) as (page, wrong):
        expect(page.locator(".live").first).to_contain_text("An H100 moves 3,350 GB/s")
        assert not page.locator("form.choice").is_visible()
        assert not page.get_by_role("button", name="change").first.is_visible()
        assert wrong == []


def test_a_strict_policy_stops_nothing_of_it(browser, address):
    with strictly_opened(browser, address + BANDWIDTH) as page:
        choose(page, card="rtx-4090", model="gpt2")
        assert first_number(page) == "1,008 GB/s"
        stopped = page.evaluate("stopped")
        assert not [each for each in stopped if "/live.js" in each or "arithmetic" in each]
