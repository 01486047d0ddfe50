"""Check live passages, whose numbers and names follow the card and the model that a reader chooses."""

import re
from collections.abc import Container
from functools import partial
from pathlib import Path

from scripts.core.cache import Cache
from scripts.core.faults import BadInput, Fault
from scripts.core.freshness import Modules, key
from scripts.javascript.live_numbers import CARDS, MODELS, assumed, live_module
from scripts.proof.numbers import split_unit
from scripts.proof.page import Page
from scripts.proof.tags import Element, elements
from scripts.proof.written import NotWritten, Written, parse_written
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS as MODELS_BY_SLUG

FIGURE = re.compile(r"\w+\.\w+")
MARKUP = re.compile(r"[*_`<>\\&]")
MAKER = re.compile(r"^(?:NVIDIA|AMD|Intel|Apple|Google) |\b(?:GeForce|Instinct|Radeon|Platinum) ")
SIZE = re.compile(r",? \d+ GB$")
FORM = re.compile(r" (?:SXM|PCIe|NVL)\b.*")
SAID_WITH_A_VOWEL = re.compile(r"[AEFHILMNORSX][A-Z\d]|[AEIO]")
KNOWN = {"card": CARDS, "model": MODELS}


class LiveError(ValueError):
    """What cannot follow a reader's choice. Carries what to do about it."""

    def __init__(self, message: str, remedy: str) -> None:
        self.remedy = remedy
        super().__init__(message)


def short_name(card: str) -> str:
    """A card's name as prose has it, with its article: "an H100 SXM".

    Its size stays where cards differ in nothing else: "an A100 SXM 40 GB".
    """
    name = MAKER.sub("", card)
    brief = SIZE.sub("", name)
    others = (MAKER.sub("", other.name) for other in ACCELERATORS.values() if other.name != card)
    if brief not in map(partial(SIZE.sub, ""), others):
        name = brief
    return f"{'an' if SAID_WITH_A_VOWEL.match(name) else 'a'} {name}"


def depends_on(kind: str, expression: str) -> tuple[str, str]:
    """The names of the card and the model that a proven number depends on; "" for none.

    Raises LiveError for one that depends on a card, and cannot follow another.
    """
    text, _ = split_unit(expression)
    if kind == "calc" or (kind == "cite" and FIGURE.fullmatch(text)):
        try:
            return assumed(text)
        except ValueError as error:
            raise LiveError(str(error), "put it outside live passages") from None
    if kind == "cite" and text.partition(".")[0] in CARDS:
        raise LiveError(f"#cite {text!r} holds for one card alone", "put it outside live passages")
    return "", ""


def plainly_written(text: str, *, unit: str) -> Written:
    """How a live number is written, so that another can stand in its place. Raises LiveError."""
    try:
        written = parse_written(text, unit=unit)
    except NotWritten as error:
        raise LiveError(str(error), "write one number and its unit") from None
    if MARKUP.search(text) or written.over or written.power or not written.text[0].isdigit():
        raise LiveError(
            f"{text!r} in a live passage is no plain number", "write it without sign and markup"
        )
    if text.find(written.text) != written.start:
        raise LiveError(f"{text!r} holds the digits {written.text} twice", "put words outside")
    return written


class Translations:
    """Whether expressions can be computed by a browser; what was found is remembered."""

    def __init__(self, root: Path, cache: Cache) -> None:
        self._cache = cache
        self._code = Modules(root, cache).digest("scripts.javascript.live_numbers")

    def check(self, expression: str) -> None:
        """Raises LiveError for what a browser could not compute."""
        place = key(code=self._code, expression=expression)
        fault = self._cache.get("translated", place)
        if fault is None:
            fault = []
            try:
                live_module({"value": expression})
            except BadInput as error:
                message = f"no choice can be followed by {expression!r}: {error.fault.message}"
                fault = [message, error.fault.remedy]
            self._cache.put("translated", place, fault)
        if fault:
            raise LiveError(*fault)


def check_live(page: Page, sound: Container[str], translations: Translations) -> list[Fault]:
    """The faults of a page's live passages. `sound` are the labels that have a value."""
    found = elements(page)
    passages = [each for each in found if _is_passage(each)]
    names = [each for each in found if "data-name" in each.attributes]
    faults = []
    for passage in passages:
        inside = [name for name in names if passage.holds(name.opening.start)]
        faults += _check_passage(page, passage, inside, sound, translations)
    for name in names:
        if not any(passage.holds(name.opening.start) for passage in passages):
            remedy = 'remove its mark, or put it into a <div class="live" markdown>'
            message = "a name outside of live passages follows no choice"
            faults.append(Fault(page.path, name.opening.line, message, remedy))
    return faults


def _is_passage(element: Element) -> bool:
    return "live" in element.attributes.get("class", "").split()


def _check_passage(
    page: Page,
    passage: Element,
    names: list[Element],
    sound: Container[str],
    translations: Translations,
) -> list[Fault]:
    faults = []
    objects: dict[str, set[str]] = {"card": set(), "model": set()}
    for reference in page.references:
        if not passage.holds(reference.start) or reference.label not in sound:
            continue
        definition = page.definitions[reference.label]
        try:
            found = depends_on(definition.kind, definition.expression)
            if any(found):
                expression, unit = split_unit(definition.expression)
                plainly_written(reference.text, unit=unit)
                translations.check(expression)
        except LiveError as error:
            faults.append(Fault(page.path, reference.line, str(error), error.remedy))
            continue
        for held, name in zip(objects.values(), found, strict=True):
            held |= {name} - {""}
    for kind, held in objects.items():
        if len(held) > 1:
            message = f"a live passage for more than one {kind}: {', '.join(sorted(held))}"
            remedy = f"make a passage for each, or let its expressions name one {kind}"
            faults.append(Fault(page.path, passage.opening.line, message, remedy))
    if not any(objects.values()) and not faults:
        message = "no number of this live passage depends on a card or a model"
        remedy = "let an expression name one, as in h100_sxm.memory, or write no live passage"
        faults.append(Fault(page.path, passage.opening.line, message, remedy))
    if all(len(held) <= 1 for held in objects.values()):
        own = {kind: name for kind, held in objects.items() for name in held}
        faults += [fault for name in names if (fault := _wrong_name(page, name, own))]
        faults += _unmarked_names(page, passage, names, own)
    return faults


def spellings(kind: str, name: str) -> list[str]:
    """How a passage may name its card or model, without an article; the longest first."""
    slug = KNOWN[kind][name]
    if kind == "model":
        return [MODELS_BY_SLUG[slug].name]
    _, _, whole = short_name(ACCELERATORS[slug].name).partition(" ")
    return list(dict.fromkeys([whole, SIZE.sub("", whole), FORM.sub("", whole)]))


def _wrong_name(page: Page, mark: Element, own: dict[str, str]) -> Fault | None:
    kind = mark.attributes["data-name"]
    said = " ".join(page.source[mark.opening.end : mark.closing.start].split())
    line = mark.opening.line
    if kind not in KNOWN:
        remedy = 'write data-name="card" or data-name="model"'
        return Fault(page.path, line, f"data-name={kind!r} names nothing to choose", remedy)
    if kind not in own:
        message = f"{said!r} is marked as the {kind}, and no number here depends on a {kind}"
        return Fault(page.path, line, message, f"remove its mark, or let a number name its {kind}")
    known = spellings(kind, own[kind])
    if kind == "card":
        article = short_name(ACCELERATORS[CARDS[own[kind]]].name).partition(" ")[0]
        known += [f"{a} {name}" for name in known for a in (article, article.capitalize())]
    if said not in known:
        message = f"{said!r} names the {kind} of numbers that are for {own[kind]}"
        return Fault(page.path, line, message, f"write {known[-1]!r}, or correct the expressions")
    return None


def _unmarked_names(
    page: Page, passage: Element, names: list[Element], own: dict[str, str]
) -> list[Fault]:
    """The names that would stay what they are when a reader chooses another."""
    numbers = [r for r in page.references if passage.holds(r.start)]
    marked = [(name.opening.start, name.closing.end) for name in names]
    marked += [(number.start, number.start + len(number.text)) for number in numbers]
    faults = []
    for kind, name in own.items():
        words = "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in spellings(kind, name))
        pattern = re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])")
        for match in pattern.finditer(page.source, passage.opening.end, passage.closing.start):
            if not any(start <= match.start() < end for start, end in marked):
                message = f"{match[0]!r} would stay when a reader chooses another {kind}"
                remedy = f'write <span data-name="{kind}">...</span>, or other words'
                faults.append(Fault(page.path, page.line_of(match.start()), message, remedy))
    return faults
