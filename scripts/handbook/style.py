"""Check the words of pages by docs/style.toml, where each rule stands with its remedy.

What checks the book calls `check_style(page, rules)` for each page, with what `read_rules(root)` gave.
Code, formulas, definitions and addresses are no prose; captions, headings and alternative texts are.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.core.faults import BadInput, Fault
from scripts.core.files import read_text
from scripts.proof.page import Page

STYLE = "docs/style.toml"
NOT_PROSE = ("fence", "comment", "definition", "embed", "code", "display", "inline", "tag")
ADDRESS = re.compile(r"\]\([^)\n]*\)|\]\[[^\]\n]*\]|[\[\]*]")
PARAGRAPH = re.compile(r"(?:^.*\S.*\n?)+", re.MULTILINE)


@dataclass(frozen=True)
class Rules:
    """`avoid`: (words, remedy); `conventions`: (expression, what a paragraph must say, remedy)."""

    avoid: tuple[tuple[re.Pattern[str], str], ...]
    conventions: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]


def read_rules(root: Path) -> Rules:
    """The rules of docs/style.toml. Raises BadInput when they cannot be read."""
    try:
        held = tomllib.loads(read_text(root / STYLE, name=STYLE))
        return Rules(
            tuple((_words(w), rule["instead"]) for rule in held["avoid"] for w in rule["words"]),
            tuple(
                (re.compile(rule["expression"]), _words(rule["says"]), rule["instead"])
                for rule in held["convention"]
            ),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, re.error) as error:
        remedy = (
            "each [[avoid]] needs words and instead, each [[convention]] expression, says, instead"
        )
        raise BadInput(STYLE, 0, f"cannot be read: {error}", remedy) from None


def check_style(page: Page, rules: Rules) -> list[Fault]:
    """The words of a page that its readers should not meet, and conventions that it does not name."""
    prose = prose_of(page)
    faults = [
        Fault(page.path, page.line_of(m.start()), f"{' '.join(m[0].split())!r}", f"write: {remedy}")
        for words, remedy in rules.avoid
        for m in words.finditer(prose)
    ]
    return faults + list(_unnamed(page, prose, rules))


def prose_of(page: Page) -> str:
    """A page's words where they stand, with blanks for all that is none."""
    text = page.source
    for kind, start, end in page.regions:
        if kind in NOT_PROSE:
            text = text[:start] + _blank(text[start:end]) + text[end:]
    return ADDRESS.sub(lambda match: _blank(match[0]), text)


def _unnamed(page: Page, prose: str, rules: Rules) -> Iterator[Fault]:
    for paragraph in PARAGRAPH.finditer(prose):
        for reference in page.references:
            if not paragraph.start() <= reference.start < paragraph.end():
                continue
            expression = page.definitions[reference.label].expression
            for shape, says, remedy in rules.conventions:
                if shape.search(expression) and not says.search(paragraph[0]):
                    message = f"[{reference.text}] does not say by which convention it is counted"
                    yield Fault(page.path, reference.line, message, remedy)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
