"""A walk over home, a chapter, a lab and the planner with the Firefox of the distribution."""

import shutil
from collections.abc import Iterator

import pytest

from tests.browser.marionette import Firefox, running
from tests.browser.visits import BANDWIDTH

pytestmark = pytest.mark.browser

ENTER, ESCAPE = "\ue007", "\ue00c"
WIDE = "return document.documentElement.scrollWidth > innerWidth"
UNSHOWN = """return [...document.images].filter((image) => image.complete && !image.naturalWidth)
  .map((image) => image.src)"""
SCHEME = "return document.documentElement.dataset.scheme"

# On a ground that is the same in both schemes.
SHOW_A_DRAWING = """const image = document.querySelector("figure img");
  image.style.background = "#808080";
  image.scrollIntoView({ block: "center" });
  return image.complete && image.naturalWidth"""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    binary = shutil.which("firefox-esr") or shutil.which("firefox")
    if binary is None:
        pytest.skip("no Firefox: install your distribution's firefox-esr or firefox")
    with running(binary, tmp_path_factory.mktemp("firefox")) as started:
        yield started


def sound(firefox: Firefox) -> None:
    """Nothing failed, nothing is missing, nothing scrolls sideways."""
    assert firefox.said() == []
    assert firefox.evaluate(UNSHOWN) == []
    assert not firefox.evaluate(WIDE)


def test_home_follows_the_reader(firefox, address):
    firefox.visit(address)
    assert firefox.text(".live .large a") == "209 tokens/s"
    firefox.evaluate("document.querySelector('#choice-card').focus()")
    firefox.until("return document.querySelector('#choice-card[data-findable]')")
    firefox.type("#choice-card", "4090")
    firefox.until("return document.querySelector('.finder [aria-selected=true]')")
    firefox.type(".finder input", ENTER)
    firefox.until("return document.querySelector('.live.chosen')")
    assert firefox.text(".live .large a") == "63 tokens/s"
    firefox.click("form.choice button")
    firefox.until("return !document.querySelector('.live.chosen')")
    sound(firefox)


def test_a_chapter_is_searched_noted_and_read_in_both_schemes(firefox, address):
    firefox.visit(address + BANDWIDTH)
    firefox.type(".search input", "kv cache")
    firefox.until("return document.querySelector('.results a')")
    first = "return document.querySelector('.results a').getAttribute('href')"
    assert firefox.evaluate(first).endswith("06-will-it-fit/#the-cache-of-a-conversation")
    firefox.type(".search input", ESCAPE)
    # Focus shows a note where the keyboard moved it.
    firefox.evaluate("document.querySelector('article a.proven').focus({ focusVisible: true })")
    assert "See it in the ledger" in firefox.text(".note")
    drawn = {}
    firefox.until(SHOW_A_DRAWING)
    for _ in ("one", "other"):
        firefox.click("button.scheme")
        drawn[firefox.evaluate(SCHEME)] = firefox("TakeScreenshot", id=firefox.find("figure img"))
    assert drawn["light"] != drawn["dark"]  # the drawing has the colours of the page's scheme
    formulas = "return [...document.querySelectorAll('mjx-container')].every((each) => each.offsetHeight > 7)"
    assert firefox.evaluate(formulas)
    sound(firefox)


def test_a_lab_is_whole(firefox, address):
    firefox.visit(address + "labs/train/")
    assert firefox.text("h1").startswith("Plan a training run")
    assert firefox.evaluate("return document.querySelectorAll('figure.exhibit img').length") >= 2
    sound(firefox)


def test_a_plan_is_made(firefox, address):
    firefox.visit(address + "planner/#model=llama-3.1-8b")
    firefox.until("return document.querySelector('#plan[data-ready]')")
    assert firefox.text("#plan .verdict").startswith("It fits: Llama 3.1 8B takes 16.")
    firefox.type("#first-gpus", "7")
    assert "does not divide 32 heads" in firefox.text("#plan .fault")
    firefox.click("#plan .fault button")
    assert firefox.text("#plan .verdict").startswith("It fits")
    firefox.visit(address + "planner/?#model=llama-3.1-8b&serve=&prompt=2000&answer=500&rate=20")
    firefox.until("return document.querySelector('#plan[data-ready]')")
    assert firefox.text("#plan .verdict").startswith("It takes ")
    sound(firefox)
