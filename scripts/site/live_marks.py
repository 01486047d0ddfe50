"""Live passages: blocks whose numbers follow the card and the model that a reader chooses.

    <div class="live" markdown>

    <span data-name="card">An H100</span> moves [3,350 GB/s][h100].

    </div>

The text is written for one card, one model, or one of each: those that the expressions of its numbers
name. This extension says so in a line above it, and tells the page's script how each number that
depends on them is written, and where each sentence begins and ends: one whose number is not published,
or is not there for a choice, is left out whole. A paragraph outside of live passages whose numbers are
for one card or model gets that said once a reader has chosen another.
scripts/handbook/live_checks.py has judged the passages before.
"""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from scripts.handbook.ledger import KINDS
from scripts.handbook.live_checks import LiveError, depends_on, plainly_written, short_name
from scripts.javascript.live_numbers import CARDS, MODELS
from scripts.proof.numbers import split_unit
from scripts.proof.written import Written
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS as MODELS_BY_SLUG

SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z(\x02]|$)")
ROUTED = re.compile(
    r"\b(?:weights_read|active_parameters)\("
)  # a model of experts reads some of them

UNIT = re.compile(r"[A-Za-zµ]+")
LADDERS = {  # a thousand of one is one of the next
    unit: ladder
    for ladder in (
        ("thousand", "million", "billion", "trillion"),
        ("kB", "MB", "GB", "TB", "PB"),
        ("ns", "µs", "ms", "s"),
    )
    for unit in ladder
}


class LiveTreeprocessor(Treeprocessor):
    """Say above each live passage what it is written for, and mark what follows a choice."""

    def run(self, root: Element) -> None:
        """Change a page's tree in place."""
        passages = [each for each in root.iter("div") if "live" in each.get("class", "").split()]
        for block in passages:
            _divide(block)
            _prepare(block)
        followed = {each for block in passages for each in block.iter()}
        for paragraph in root.iter("p") if passages else ():
            if paragraph not in followed:
                _name_example(paragraph)


def _divide(block: Element) -> None:
    """Put each sentence into a span with its number; one may end in the next paragraph."""
    at = 0
    for paragraph in [*block.iter("p"), *block.iter("li")]:
        spans = [Element("span")]
        texts = [(None, paragraph.text or "")] + [(child, child.tail or "") for child in paragraph]
        for child, text in texts:
            if child is not None:
                child.tail = None
                spans[-1].append(child)
            for number, part in enumerate(SENTENCE_END.split(text)):
                if number:
                    spans[-1].tail = " "
                    spans.append(Element("span"))
                _add_text(spans[-1], part)
        if not "".join(spans[-1].itertext()).strip():
            spans.pop()
        for child in list(paragraph):
            paragraph.remove(child)
        paragraph.text = None
        paragraph.extend(spans)
        for number, span in enumerate(spans):
            at += number > 0
            span.set("data-sentence", str(at))
        at += "".join(paragraph.itertext()).rstrip().endswith((".", "?", "!", ":", ")"))


def _add_text(span: Element, text: str) -> None:
    if len(span):
        span[-1].tail = (span[-1].tail or "") + text
    else:
        span.text = (span.text or "") + text


def _name_example(paragraph: Element) -> None:
    """Say which card and model the numbers of a paragraph are for, where that is one of each at most."""
    links = [each for each in paragraph.iter("a") if "proven" in each.get("class", "").split()]
    told = [_origin(link) for link in links]
    try:
        found = [depends_on(*each) for each in told if "record(" not in each[1]]
    except LiveError:
        return  # its numbers compare some
    cards = {card for card, _ in found if card}
    models = {model for _, model in found if model}
    if len(cards) > 1 or len(models) > 1 or not cards | models:
        return
    paragraph.set("class", f"{paragraph.get('class', '')} example".lstrip())
    said = []
    for name in cards:
        paragraph.set("data-card", CARDS[name])
        said.append(short_name(ACCELERATORS[CARDS[name]].name))
    for name in models:
        paragraph.set("data-model", MODELS[name])
        said.append(MODELS_BY_SLUG[MODELS[name]].name)
    paragraph.set("data-example", f"Example: {' and '.join(said)}")


def _prepare(block: Element) -> None:
    cards: set[str] = set()
    models: set[str] = set()
    for link in block.iter("a"):
        if "proven" not in link.get("class", "").split():
            continue
        kind, expression = _origin(link)
        card, model = depends_on(kind, expression)
        if card or model:
            _describe(link, split_unit(expression)[1])
            if ROUTED.search(expression):
                block.set("data-routed", "")
            cards |= {card} - {""}
            models |= {model} - {""}
    line = Element("p", {"class": "assumed"})
    line.text = "For "
    for kind, slugs in (
        ("card", [CARDS[name] for name in cards]),
        ("model", [MODELS[name] for name in models]),
    ):
        for slug in slugs:
            block.set(f"data-{kind}", slug)
            if len(line):
                line[-1].tail = " and "
            SubElement(line, "span", {"data-name": kind}).text = (
                short_name(ACCELERATORS[slug].name) if kind == "card" else MODELS_BY_SLUG[slug].name
            )
    SubElement(line, "span", {"class": "fit"})
    change = SubElement(line, "span", {"class": "change"})  # with its dot: paper has neither
    change.text = " · "
    SubElement(change, "button", {"type": "button"}).text = "change"
    block.insert(0, line)
    SubElement(block, "p", {"class": "lacks", "hidden": ""})


def _origin(link: Element) -> tuple[str, str]:
    kind = next(k for k in KINDS if f"proven-{k}" in link.get("class", "").split())
    return kind, link.get("title", "").removeprefix(f"{KINDS[kind]}: ")


def _describe(link: Element, unit: str) -> None:
    """Say how a number is written: its digits, and what one of its units is worth."""
    written = plainly_written("".join(link.itertext()), unit=unit)
    link.set("data-written", written.text)
    if written.scale != 1:
        link.set("data-scale", f"{written.scale:.17g}")


def shown(text: str, written: Written, value: float) -> str:
    """The text of a number with another value, as the prose would write it.

    In a smaller unit where less than one would be left, in a larger one from ten thousand; with at least
    two digits, and at most three or as many as were written. Whole counts stay whole, and a ratio below
    a tenth is a fraction. The page's script (written.js) writes numbers in the same way.
    """
    digits = len(re.sub(r"\D", "", written.text).lstrip("0"))
    before, _, after = text.partition(written.text)
    if isinstance(value, int) and written.scale == 1:
        return before + _grouped(written, 0).format(value) + after
    if after == " times" and 0 < value < 0.1:
        return f"{before}1/{_grouped(written, 0).format(float(f'{1 / value:.2e}'))}{after}"
    scale = written.scale
    if (unit := UNIT.search(after)) and (ladder := LADDERS.get(unit[0])):
        step = was = ladder.index(unit[0])
        while step and 0 < abs(value / scale) < 0.95:
            step, scale = step - 1, scale / 1000
        while step + 1 < len(ladder) and abs(value / scale) >= 9999.5:
            step, scale = step + 1, scale * 1000
        after = after.replace(ladder[was], ladder[step], 1)
    size, decimals = abs(value / scale), written.decimals
    while decimals and size * 10**decimals >= 10 ** max(3, digits) - 0.5:
        decimals -= 1
    left = size * 10**decimals
    while 0 < left < 9.5:
        left, decimals = left * 10, decimals + 1
    return before + _grouped(written, decimals, scale).format(value) + after


def _grouped(written: Written, decimals: int, scale: float = 1) -> Written:
    """The same style with other decimals, in another unit, with separators from a thousand on."""
    return replace(written, text="1,000", decimals=decimals, scale=scale)


class LiveExtension(Extension):
    """Passages whose numbers follow the card and the model that a reader chooses."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register the processor."""
        # After numbers have been marked (15) and attributes given (8), before MkDocs resolves links (0).
        md.treeprocessors.register(LiveTreeprocessor(md), "live", 7)


def makeExtension(**options: object) -> LiveExtension:
    """What Markdown calls."""
    return LiveExtension(**options)
