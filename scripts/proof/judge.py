"""Judge what a reader sees of a page, element by element.

`judge(page, book, checked, tables)` renders the page with the tables that it embeds and returns its faults.
A numeral is accepted inside a proven number, a checked formula, a program, its output or a listed name;
whatever Markdown made of the source, and whatever stands beside a number and would change it, is found.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import unescape

from scripts.core.faults import BadInput, Fault
from scripts.proof.book import Book
from scripts.proof.embed import resolve
from scripts.proof.html_pieces import Piece, pieces_of
from scripts.proof.numbers import Checked
from scripts.proof.page import Fence, Page
from scripts.proof.spelled import read_words
from scripts.proof.units import CHANGING, UNITS, Dimension, spelled, unit_of
from scripts.proof.written import LETTERS, NotWritten, parse_written

# What may stand right before and right after a proven number.
BEFORE = re.compile(r"(?:^|[\s(\[{“‘\"'—–|:;…/])$")
AFTER = re.compile(r"^(?:/?$|[\s)\]}.,;:!?”’\"'—–|…-])")
AMOUNT = re.compile(r"\W*[\d.,]+\s+([A-Za-zµ%/]+)\W*")
ADDRESS = re.compile(r"\bhttps?://\S+")
SIGN = re.compile(r"[-−+±]\s*$")
SCALED = re.compile(
    r"\b(?:minus|negative|point|half|twice|thrice|double|triple|dozen|hundred|thousand|[mbtr]+illion)\s+$",
    re.IGNORECASE,
)
WORDS_AFTER = re.compile(r"^[\s(-]+([A-Za-zµ]+(?:(?:/|\s+per\s+)[A-Za-zµ]+)*)")
PER = re.compile(r"^\s+per\s+([A-Za-zµ]+)")
FRONT = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*\n", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r"^title:(.*)$", re.MULTILINE)
REMEDY = "link it to a #calc, #cite or #record, or add the name to docs/names.toml"
WORDS_REMEDY = "link it to a definition as [sixteen bytes][label], or say it without a number"
RUN = ("python", "text", "")  # run, compared with what a program prints, refused elsewhere
COMMANDS = ("bash", "sh")
# Words that turn a number word into a quantity: "thirty-one times", "twelve bytes", "a third".
AN = re.compile(
    r"\b(?:an?|about|nearly|under|over)\s+(?:(?:good|full|mere|whole|large|small|further)\s+)?$",
    re.IGNORECASE,
)
ROMAN = re.compile(r"\b([ivxlcdm]{2,})\s+([A-Za-z]+)\b", re.IGNORECASE)
DRAWN = ("KEYCAP", "DIE FACE", "CLOCK FACE", "BRAILLE", "COUNTING ROD", "TALLY")
QUANTITIES = re.compile(r"^\s+(times|percent|per\s+cent|[A-Za-z]+)\b")


def judge(
    page: Page, book: Book, checked: Mapping[str, Checked], tables: Mapping[str, Page]
) -> list[Fault]:
    """The faults of what is shown. `tables` are those that the page may embed, parsed."""
    assert book.render is not None
    parts = [page, *(tables[name] for _, name in page.embeds if name in tables)]
    blocks = pieces_of(book.render(_composed(page, tables)))
    judged = _Judge(parts, book, checked)
    for block in blocks:
        judged.block(block)
    for fence in page.fences:
        if fence.language not in RUN:
            judged.typed(fence)
    judged.compare()
    if (front := FRONT.match(page.source)) and (title := TITLE.search(front[0])):
        judged.text(title[1])
    if "data-toc-label" in page.source:
        judged.fault("data-toc-label", "a label for contents is shown and not checked", "remove it")
    return judged.faults


def _composed(page: Page, tables: Mapping[str, Page]) -> str:
    """The page's Markdown with the tables that it embeds, and without its front matter."""
    lines = page.source.split("\n")
    for line, name in page.embeds:
        lines[line - 1] = f"\n{tables[name].source}\n" if name in tables else ""
    return FRONT.sub("", "\n".join(lines))


class _Judge:
    def __init__(self, parts: list[Page], book: Book, checked: Mapping[str, Checked]) -> None:
        self.parts = parts
        self.book = book
        self.faults: list[Fault] = []
        self.shown: Counter[tuple[str, str, str]] = Counter()
        self.expected: Counter[tuple[str, str, str]] = Counter()
        self.checked = {
            (each.definition.kind, _squeeze(each.definition.expression)): each
            for each in checked.values()
        }
        for part in parts:
            for reference in part.references:
                defined = part.definitions[reference.label]
                origin = f"{defined.kind} {_squeeze(defined.expression)}"
                self.expected["number", _plain(reference.text), origin] += 1
            for formula in part.formulas:
                self.expected["formula", _squeeze(formula.tex), ""] += 1
            for text in _fence_texts(part, book):
                self.expected["block of code", _squeeze(text), ""] += 1

    def fault(self, near: str, message: str, remedy: str) -> None:
        """Note a fault at the place in the sources that shows some text."""
        for pattern in _patterns(near):
            for part in self.parts:
                if match := re.search(pattern, part.source):
                    line = part.line_of(match.end())
                    self.faults.append(Fault(part.path, line, message, remedy))
                    return
        self.faults.append(Fault(self.parts[0].path, 0, message, remedy))

    def block(self, block: list[Piece]) -> None:
        """Judge the pieces of one block."""
        for index, piece in enumerate(block):
            if piece.kind in ("text", "attribute"):
                self.text(piece.text)
            elif piece.kind == "proven":
                self._proven(block, index)
            elif piece.kind == "code" and (amount := AMOUNT.fullmatch(piece.text)):
                if amount[1] in UNITS:
                    message = f"a quantity in a code span, without provenance: {piece.text}"
                    self.fault(piece.text, message, REMEDY)
            elif piece.kind == "formula":
                tex = re.sub(r"^\\[(\[]|\\[)\]]$", "", piece.text.strip())
                self._count("formula", _squeeze(tex))
            elif piece.kind == "block":
                self._count("block of code", _squeeze(piece.text))

    def typed(self, fence: Fence) -> None:
        """Judge a block that no program gives: commands may hold numbers, what they print may not."""
        for number, line in enumerate(fence.body.split("\n"), fence.line + 1):
            command = fence.language in COMMANDS or line.startswith("$ ")
            command = command and not line.lstrip("$ ").startswith("#")
            bare = self.book.name_pattern.sub("", line)
            if not command and any(c.isnumeric() for c in bare):
                message = f"a number in a block that nothing checks: {line.strip()[:60]}"
                remedy = "let a python fence print it, or leave the output out"
                self.faults.append(Fault(self.parts[0].path, number, message, remedy))

    def compare(self) -> None:
        """Whatever the sources hold must be seen as what it is."""
        for kind, text, _ in self.expected - self.shown:
            remedy = "look for Markdown that reads differently: a list, HTML or code around it"
            self.fault(text, f"a {kind} that readers do not get as one: {text[:80]}", remedy)

    def _count(self, kind: str, shown: str, origin: str = "") -> None:
        self.shown[kind, shown, origin] += 1
        if not self.expected[kind, shown, origin]:
            remedy = "write it as stock Markdown in the first column, so that it is checked"
            self.fault(shown, f"a {kind} that nothing has checked: {shown[:80]}", remedy)

    def text(self, text: str) -> None:
        """Judge a text without origin: it holds no numeral but in names, and no quantity in words."""
        bare = text
        for known in (self.book.name_pattern, ADDRESS):
            bare = known.sub(lambda match: " " * len(match[0]), bare)
        for match in re.finditer(r"\S+", bare):
            if any(c.isnumeric() or _drawn(c) for c in match[0]):
                near = text[max(match.start() - 24, 0) : match.end()]
                self.fault(near, f"a numeral without provenance: {match[0]}", REMEDY)
        romans = (found[0] for found in ROMAN.finditer(bare) if found[2] in UNITS)
        for phrase in (*romans, *_quantities(bare)):
            message = f"a quantity in words without provenance: {phrase}"
            self.fault(phrase, message, WORDS_REMEDY)

    def _proven(self, block: list[Piece], index: int) -> None:
        piece = block[index]
        kind, expression = piece.target
        text = _squeeze(piece.text)
        self._count("number", _plain(text), f"{kind} {_squeeze(expression)}")
        before = block[index - 1] if index else Piece("text", "")
        after = block[index + 1] if index + 1 < len(block) else Piece("text", "")
        if before.kind != "text" or (not before.text and index):
            changes: str | None = before.text
        else:
            changes = _before(before.text)
        if after.kind == "text" and changes is None:
            changes = self._after(after.text, text, self.checked.get((kind, _squeeze(expression))))
        if changes is not None:
            message = f"{changes.strip()!r} beside [{text}] would change what it says"
            self.fault(f"{text}", message, "put it inside the link, or other words between")

    def _after(self, after: str, text: str, found: Checked | None) -> str | None:
        after = after.removesuffix("¶")
        if not AFTER.match(after) or re.match(r"[.,/-]\d|\s*[%‰^]", after):
            return after[:12]
        if (match := WORDS_AFTER.match(after)) and match[1] in CHANGING - {"per"}:
            return match[1]
        if found is None or found.value is None:
            return None
        if (per := PER.match(after)) and per[1] in UNITS:
            return per[0]
        if not match:
            return None
        words = match[1]
        first = re.split(r"/|\s", words)[0]
        if first == "per":
            return None
        unit = unit_of(words)
        says = any(part in UNITS for part in re.split(r"/|\s+per\s+", words))
        if first in CHANGING or first in LETTERS or (says and unit and unit.scale != 1):
            return words
        try:
            stated = parse_written(text, unit=found.unit).dimension
        except NotWritten:
            return None
        if (
            says
            and unit
            and (not _counts(found.dimension, unit.dimension) or (stated and not found.unit))
        ):
            return f"{words} ({spelled(unit.dimension)})"
        return None


def _counts(measured: Dimension | None, said: Dimension) -> bool:
    """Whether a word may name what a number counts: "operations" for so many of them per byte."""
    above = [each for each in measured or () if each[1] > 0]
    return measured is None or above == [each for each in said if each[1] > 0]


def _before(text: str) -> str | None:
    if not BEFORE.search(text):
        return text[-12:]
    match = SIGN.search(text) or SCALED.search(text)
    return match[0] if match else None


def _quantities(text: str) -> Iterator[str]:
    """Number words that state a quantity: with a unit or "times" after them, or a part of something."""
    position = 0
    while found := read_words(text[position:]):
        start, end, value = found
        start, end = start + position, end + position
        position = end
        match = QUANTITIES.match(text[end:])
        after = match[1] if match else ""
        whole = value == int(value) and value != 1
        said = after in UNITS or after in ("times", "percent") or (value > 12 and value % 100)
        # "the third" is an order, and "half" is also said of what has two parts
        named = AN.search(text[:start]) or re.search(r"[ -]", text[start:end].strip())
        part = 0 < value < 1 and value != 1 / 2 and bool(named)
        if part or (whole and said):
            yield text[start : end + (match.end() if match and after else 0)].strip()


def _drawn(character: str) -> bool:
    """Whether a sign shows a number without being one for Unicode."""
    return not character.isascii() and any(
        word in unicodedata.name(character, "") for word in DRAWN
    )


def _fence_texts(page: Page, book: Book) -> Iterable[str]:
    for fence in page.fences:
        if fence.start == fence.end == 0:  # a cell of code, which is no part of the Markdown
            continue
        try:
            yield resolve(fence.body, root=book.root, path=page.path, line=fence.line + 1)
        except BadInput:
            continue  # said where programs are run


def _patterns(near: str) -> list[str]:
    """What a shown text looks like in a source: all of it, or else its last word."""
    words = [re.escape(word) for word in re.findall(r"[\w.,%]+", near)]
    return [r"[^\w]{1,40}?".join(words), words[-1]] if words else []


def _plain(text: str) -> str:
    """A link's text without its Markdown."""
    return _squeeze(re.sub(r"[*_`\\]", "", unescape(text)))


def _squeeze(text: str) -> str:
    return " ".join(text.split())
