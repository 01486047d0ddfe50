"""Which proven values of a page the literals in its formulas state.

`formulas.py` asks for each literal that could change unseen; `check.py`, which definitions are used so.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scripts.proof.numbers import Checked
from scripts.proof.page import Page
from scripts.proof.tex import parse_literal
from scripts.proof.written import NotWritten, parse_written

# A subscript is part of a name; that of a sum or a limit says where it begins.
BIG = ("lim", "limits", "sum", "prod", "int", "max", "min", "bigcup", "sup", "inf")
SUBSCRIPT = re.compile("".join(rf"(?<!\\{name})" for name in BIG) + r"_(?:\{[^{}]*\}|\d)")
NAMED_TEXT = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\{[^{}]*\}")
NUMBER = re.compile(
    r"\d+(?:(?:\{,\}|,(?=\d{3}))\d{3})*(?:\.\d+)?"
    r"(?:\s*\\(?:times|cdot)\s*10\^(?:\{-?\d+\}|\d))?"
)
UNIT_AFTER = re.compile(r"(?:\\[,;: ]|~|\s)*(?:\\(?:text|mathrm)\{[^{}]*\}|\\%)")


@dataclass(frozen=True)
class Ground:
    """A proven value of a page, and how the page writes it where it does so in words."""

    found: Checked
    texts: tuple[str, ...]


def grounding_labels(page: Page, checked: Mapping[str, Checked]) -> set[str]:
    """The labels of definitions that ground a literal of some formula."""
    grounds = grounds_of(page, checked) if page.formulas else []
    return {
        label
        for formula in page.formulas
        for _, _, literal in literals(formula.tex)
        for label in grounding(literal, grounds)
    }


def literals(tex: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, literal with its unit) of every number that is not in a subscript or a text."""
    masked = tex
    for pattern in (SUBSCRIPT, NAMED_TEXT):
        masked = pattern.sub(lambda match: " " * len(match[0]), masked)
    for match in NUMBER.finditer(masked):
        unit = UNIT_AFTER.match(tex, match.end())
        yield match.start(), match.end(), match[0] + (unit[0] if unit else "")


def grounds_of(page: Page, checked: Mapping[str, Checked]) -> list[Ground]:
    """What a page proves, to be asked for by `grounding`."""
    texts: dict[str, list[str]] = {}
    for reference in page.references:
        found = checked.get(reference.label)
        if found is None or found.value is None:
            continue
        try:  # as it will read once the page is brought in step
            text = parse_written(reference.text, unit=found.unit).format(found.value)
        except (NotWritten, KeyError, ValueError):  # reported where numbers are checked
            text = reference.text
        texts.setdefault(reference.label, []).append(text)
    return [
        Ground(found, tuple(texts.get(label, ())))
        for label, found in checked.items()
        if found.value is not None
    ]


def grounding(literal: str, grounds: Iterable[Ground]) -> Iterator[str]:
    """The labels of values that the literal states.

    A value that the page also states in words must be equal to it, or be written with the same
    digits there: otherwise some other value, rounded, would ground too much.
    """
    one = parse_literal(literal)
    for ground in grounds:
        value, measured = ground.found.value, ground.found.dimension
        if one is None or value is None or not one.agrees(value):
            continue
        if one.dimension and measured is not None and one.dimension != measured:
            continue
        exact = math.isclose(float(one.digits) * one.scale, value, rel_tol=1e-9)
        pattern = rf"(?<![\d.,]){_spelled(one.digits)}"
        if exact or not ground.texts or any(re.search(pattern, t) for t in ground.texts):
            yield ground.found.definition.label


def _spelled(digits: str) -> str:
    """A pattern for digits with or without commas between thousands, and nothing after."""
    whole, point, rest = digits.partition(".")
    return ",?".join(whole) + re.escape(point + rest) + r"(?![\d]|[.,]\d)"
