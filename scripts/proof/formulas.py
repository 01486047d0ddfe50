r"""Check the numbers in math.

Every digit of a formula must be *sensitive* (changing it makes a numeric statement false) or belong
to a literal that is *grounded* (equal to a value that the page proves). A formula with letters is
checked against a snippet's function: `[f]: #formula "q_{\max} = largest_level(b)"`.
"""

import contextlib
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scripts.core.faults import Fault
from scripts.proof.evaluate import Evaluator, Wrong
from scripts.proof.numbers import split_unit
from scripts.proof.page import Definition, Formula, Page
from scripts.proof.tex import (
    Statement,
    Symbolic,
    Undefined,
    evaluate_side,
    holds,
    parse_literal,
    statements,
)
from scripts.proof.written import NotWritten, parse_written

SUBSCRIPT = re.compile(r"_(?:\{[^{}]*\}|\d)")
NAMED_TEXT = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\{[^{}]*\}")
NUMBER = re.compile(
    r"\d+(?:(?:\{,\}|,(?=\d{3}))\d{3})*(?:\.\d+)?"
    r"(?:\s*\\(?:times|cdot)\s*10\^(?:\{-?\d+\}|\d))?"
)
UNIT_AFTER = re.compile(r"(?:\\[,;: ]|~|\s)*(?:\\(?:text|mathrm)\{[^{}]*\}|\\%)")
CALL = re.compile(r"^(?P<left>.+?)\s*=\s*(?P<call>[A-Za-z_]\w*\(.*\))\s*$", re.DOTALL)
TRIALS = 12


@dataclass(frozen=True)
class _Ground:
    """A value that a page proves, and how the page writes it where it does so in words."""

    label: str
    value: float
    texts: tuple[str, ...]


def check_formulas(page: Page, evaluator: Evaluator, values: Mapping[str, float]) -> list[Fault]:
    """The faults of a page's formulas. `values` are those of its definitions, by label."""
    faults: list[Fault] = []
    symbolic = _formula_definitions(page, evaluator, faults)
    matched: set[str] = set()
    grounds = _grounds_of(page, values)
    for formula in page.formulas:
        faults += _check(page, formula, evaluator, grounds, symbolic, matched)
    for left, definition in symbolic.items():
        if left not in matched:
            faults.append(
                Fault(
                    page.path,
                    definition.line,
                    f"no formula on this page has {left!r} on its left",
                    "write the formula's left side exactly as in the math, or remove this line",
                )
            )
    return faults


def grounding_labels(page: Page, values: Mapping[str, float]) -> set[str]:
    """The labels of definitions that ground a literal of some formula."""
    used: set[str] = set()
    grounds = _grounds_of(page, values)
    for formula in page.formulas:
        for _, _, literal in _literals(formula.tex):
            used |= set(_grounding(literal, grounds))
    return used


def _formula_definitions(
    page: Page, evaluator: Evaluator, faults: list[Fault]
) -> dict[str, Definition]:
    found: dict[str, Definition] = {}
    for definition in page.definitions.values():
        if definition.kind != "formula":
            continue
        match = CALL.match(definition.expression)
        name = match["call"].partition("(")[0] if match else ""
        if match and callable(evaluator.names.get(name)):
            found[_squeeze(match["left"])] = definition
        else:
            faults.append(
                Fault(
                    page.path,
                    definition.line,
                    f"[{definition.label}] is not of the form: left side = function(letters)",
                    f'write [{definition.label}]: #formula "q = largest_level(b)"',
                )
            )
    return found


def _check(
    page: Page,
    formula: Formula,
    evaluator: Evaluator,
    grounds: Sequence[_Ground],
    symbolic: Mapping[str, Definition],
    matched: set[str],
) -> list[Fault]:
    def judge(tex: str) -> bool | None:
        """True or False where something in the formula can be judged, None where nothing can."""
        verdicts = []
        for statement in statements(tex):
            definition = symbolic.get(_squeeze(statement.sides[0]))
            if definition is not None and statement.relations:
                matched.add(_squeeze(statement.sides[0]))
                verdicts.append(_agrees(statement, definition, evaluator))
            elif statement.relations:
                with contextlib.suppress(Symbolic):  # no arithmetic: its numbers must be grounded
                    verdicts.append(holds(statement))
        return all(verdicts) if verdicts else None

    try:
        verdict = judge(formula.tex)
    except Wrong as error:
        return [Fault(page.path, formula.line, str(error), error.remedy)]
    if verdict is False:
        return [
            Fault(
                page.path,
                formula.line,
                f"this formula is not true: ${formula.tex.strip()}$",
                "correct it: both sides are evaluated at the precision written"
                + _sides(formula.tex),
            )
        ]
    faults = [
        Fault(
            page.path,
            formula.line,
            f"this formula says that something equals itself: ${formula.tex.strip()}$",
            "write the calculation that gives it, or prove the number with a definition",
        )
        for statement in statements(formula.tex)
        if _says_nothing(statement)
    ]
    for start, end, literal in _literals(formula.tex):
        if any(_grounding(literal, grounds)):
            continue
        for index in range(start, end):
            if formula.tex[index].isdigit() and not _sensitive(formula.tex, index, judge):
                line = page.line_of(formula.start + start)
                faults.append(
                    Fault(
                        page.path,
                        line,
                        f"{formula.tex[start:end]} in ${formula.tex.strip()[:60]}$ could change "
                        "without the formula becoming false, and this page proves no such value",
                        "prove it with a definition on this page, or carry more digits",
                    )
                )
                break
    return faults


def _says_nothing(statement: Statement) -> bool:
    """Whether two sides are the same number, written down twice."""
    literals = [_squeeze(side) for side in statement.sides if parse_literal(side)]
    return len(set(literals)) < len(literals)


def _sensitive(tex: str, index: int, judge: Callable[[str], bool | None]) -> bool:
    digit = int(tex[index])
    for other in {(digit + 1) % 10, (digit - 1) % 10}:
        try:
            if judge(f"{tex[:index]}{other}{tex[index + 1 :]}") is not False:
                return False
        except Wrong:
            continue
    return True


def _agrees(statement: Statement, definition: Definition, evaluator: Evaluator) -> bool:
    """Whether all sides but the first equal the function at random values of its letters."""
    match = CALL.match(definition.expression)
    assert match is not None  # _formula_definitions kept only those that match
    name, _, rest = match["call"].partition("(")
    arguments = [argument.rpartition("=") for argument in rest.rstrip(") ").split(",")]
    letters = [letter.strip() for _, _, letter in arguments if not letter.strip().isdigit()]
    generator = random.Random(definition.expression)
    judged = 0
    for _ in range(TRIALS * 40):
        bindings = {letter: float(generator.randint(2, 40)) for letter in letters}
        given = [(key.strip(), _whole(letter.strip(), bindings)) for key, _, letter in arguments]
        try:
            expected = evaluator.names[name](
                *[value for key, value in given if not key],
                **{key: value for key, value in given if key},
            )
        except ValueError:
            continue  # outside the function's domain
        except TypeError as error:
            raise Wrong(
                f"[{definition.label}]: {error}", "give each argument as the function names it"
            ) from None
        for side in statement.sides[1:]:
            try:
                found = evaluate_side(side, bindings).value
            except Undefined:
                return False
            except Symbolic as error:
                raise Wrong(
                    f"[{definition.label}] cannot be compared: {error}",
                    "use the letters that the definition passes, or write the formula more plainly",
                ) from None
            if abs(found - expected) > 1e-9 * max(abs(expected), abs(found)):
                return False
        judged += 1
        if judged == TRIALS:
            return True
    raise Wrong(
        f"{name} accepts too few of the values tried for {', '.join(letters)}",
        "use a function that takes whole numbers between 2 and 40",
    )


def _whole(letter: str, bindings: Mapping[str, float]) -> int:
    return int(letter) if letter.isdigit() else int(bindings[letter])


def _literals(tex: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, literal with its unit) of every number that is not in a subscript or a text."""
    masked = tex
    for pattern in (SUBSCRIPT, NAMED_TEXT):
        masked = pattern.sub(lambda match: " " * len(match[0]), masked)
    for match in NUMBER.finditer(masked):
        unit = UNIT_AFTER.match(tex, match.end())
        yield match.start(), match.end(), match[0] + (unit[0] if unit else "")


def _grounds_of(page: Page, values: Mapping[str, float]) -> list[_Ground]:
    texts: dict[str, list[str]] = {label: [] for label in values}
    for reference in page.references:
        if reference.label not in texts:
            continue
        _, unit = split_unit(page.definitions[reference.label].expression)
        try:  # as it will read once the page is brought in step
            written = parse_written(reference.text, unit=unit)
            texts[reference.label].append(written.format(values[reference.label]))
        except (NotWritten, KeyError):  # reported where numbers are checked
            texts[reference.label].append(reference.text)
    return [_Ground(label, value, tuple(texts[label])) for label, value in values.items()]


def _grounding(literal: str, grounds: Iterable[_Ground]) -> Iterator[str]:
    """The labels of values that the literal states.

    A value that the page also states in words must be equal to it, or be written with the same
    digits there: otherwise some other value, rounded, would ground too much.
    """
    bare = NUMBER.match(literal)
    parsed = [parse_literal(text) for text in (literal, bare[0] if bare else literal)]
    for ground in grounds:
        for one in parsed:
            if one is None or not one.agrees(ground.value):
                continue
            exact = math.isclose(float(one.digits) * one.scale, ground.value, rel_tol=1e-9)
            pattern = rf"(?<![\d.,]){_spelled(one.digits)}"
            if exact or not ground.texts or any(re.search(pattern, t) for t in ground.texts):
                yield ground.label
                break


def _spelled(digits: str) -> str:
    """A pattern for digits with or without commas between thousands, and nothing after."""
    whole, point, rest = digits.partition(".")
    return ",?".join(whole) + re.escape(point + rest) + r"(?![\d]|[.,]\d)"


def _sides(tex: str) -> str:
    shown = []
    for statement in statements(tex):
        for side in statement.sides:
            try:
                shown.append(f"{side} is {evaluate_side(side).value:.10g}")
            except (Symbolic, Undefined):
                continue
    return " (" + "; ".join(shown) + ")" if shown else ""


def _squeeze(tex: str) -> str:
    return re.sub(r"\s+|\\[,;:! ]", "", tex)
