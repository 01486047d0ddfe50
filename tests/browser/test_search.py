"""What people type brings the right section first; a page that is not there offers what its address names."""

import pytest
from playwright.sync_api import expect

from tests.browser.hosting import hosted
from tests.browser.visits import FOUND, opened, search

pytestmark = pytest.mark.browser

C1, C2, C2B, C3, C4, C5, C6, C7 = (
    f"chapters/{name}/"
    for name in (
        *("01-number-formats", "02-training-memory", "02b-inside-a-gpu", "03-bandwidth"),
        *("04-parallelism", "05-quantization", "06-will-it-fit", "07-inference"),
    )
)
WORDS = "reference/glossary/"
FIRST = {  # what is typed, and the page or the section that answers it
    "LoRA": WORDS + "#lora",
    "speculative decoding": C7,
    "why is decode slow": C3 + "#decoding-is-memory-bound",
    "kv cache": C6 + "#the-cache-of-a-conversation",
    "int4": C5,
    "flash attention": C2B,
    "209": C3,
    "tokens per second": C3,
    "how much memory do I need": C6,
    "GPTQ": C5 + "#better-than-rounding",
    "zero stage 3": C2 + "#sharing-the-sixteen-bytes",
    "fsdp": C4 + "#sharing-the-sixteen-bytes",
    "bf16 vs fp16": C1 + "#the-exponent-buys-range",
    "gradient checkpointing": C2 + "#the-part-that-grows-with-the-text",
    "roofline": C3 + "#the-balance-point",
    "tensor parallelism": C4 + "#tensor-a-part-of-every-matrix",
    "pipeline bubble": C4 + "#pipeline-some-layers-each",
    "ttft": C7,
    "paged attention": C7,
    "mixture of experts": C7 + "#experts",
    "outliers": C5 + "#one-outlier-spoils-a-matrix",
    "optimizer states": WORDS + "#optimizer-state",
    "will a 70B model fit": C6,
    "subnormal": WORDS + "#subnormal",
    "balance point": C3 + "#the-balance-point",
}


def test_what_people_type_brings_the_right_section_first(browser, address):
    with opened(browser, address + "reference/cite/") as (page, wrong):
        other = {}
        for typed, leads_to in FIRST.items():
            page.get_by_role("textbox", name="Search").fill("")
            expect(page.locator(".results")).to_be_hidden()
            search(page, typed)
            first = page.locator(FOUND).first.get_attribute("href") or ""
            if not first.removeprefix(address).startswith(leads_to):
                other[typed] = first.removeprefix(address)
        assert other == {}
        assert wrong == []


def test_a_page_that_is_not_there_offers_what_its_address_names(browser, site):
    with (
        hosted(site) as address,  # at the top of a host, as this page needs
        opened(browser, f"{address}404.html") as (page, wrong),
    ):
        # A host shows it under the address that was asked for.
        page.route(
            f"{address}chapters/qantization-outliers",
            lambda route: route.fulfill(path=site / "404.html"),
        )
        page.goto(f"{address}chapters/qantization-outliers")
        found = page.locator(f"article {FOUND}").first
        expect(found).to_have_attribute("href", f"{address}{C5}#one-outlier-spoils-a-matrix")
        expect(page.locator("article li a", has_text="Planner")).to_be_visible()
        assert wrong == []
