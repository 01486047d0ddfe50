r"""Check the formulas of a page: `check_formulas(page, evaluator, checked, names)` gives their faults.

Every pair of sides that can be evaluated must agree, in value and in what it measures. Every digit must be
*sensitive* (changing it makes the formula false) or belong to a literal that is *grounded* (equal to a
value that the page proves). Letters are checked against a function: `[f]: #formula "q_{\max} =
largest_level(b)"`. A formula of letters that none computes is listed: `[f]: #unchecked "\varepsilon"`.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from scripts.core.faults import Fault
from scripts.proof.evaluate import Evaluator, Wrong
from scripts.proof.grounds import Ground, grounding, grounds_of, literals
from scripts.proof.numbers import Checked
from scripts.proof.page import Definition, Formula, Page
from scripts.proof.statements import Statement, holds, statements
from scripts.proof.tex import Symbolic, Undefined, evaluate_side, parse_literal
from scripts.proof.units import spelled

WORDS = re.compile(r"\\(?:text|mathrm|operatorname|textbf|mathbf|mbox)\{([^{}]*)\}")
# Two numerals with nothing but space or braces between them, or a numeral that has a subscript.
GLUED = re.compile(
    r"\d(?:\\[,;:! ]|\\q?quad|[\s~])+\d"
    r"|\d\s*\{(?!,\})\s*\d"
    r"|(?<![A-Za-z}_^\]])\{\d+\}\s*\{?\d"
    r"|\d\s*_\s*\{?\s*\d"
)
CALL = re.compile(r"^(?P<left>.+?)\s*=\s*(?P<call>[A-Za-z_]\w*\(.*\))\s*$", re.DOTALL)
TRIALS = 12


def check_formulas(
    page: Page, evaluator: Evaluator, checked: Mapping[str, Checked], names: Iterable[str] = ()
) -> list[Fault]:
    """The faults of a page's formulas. `checked` holds its definitions, `names` what words may be."""
    faults: list[Fault] = []
    lefts = _formula_definitions(page, evaluator, faults)
    matched: set[str] = set()
    grounds = grounds_of(page, checked) if page.formulas else []
    for formula in page.formulas:
        faults += _faults_of_form(page, formula, set(names))
        faults += _check(page, formula, evaluator, grounds, lefts, matched)
    for left, definition in lefts.items():
        if left not in matched:
            message = f"no formula on this page has {left!r} on its left"
            remedy = "write the formula's left side exactly as in the math, or remove this line"
            faults.append(Fault(page.path, definition.line, message, remedy))
    return faults


def _faults_of_form(page: Page, formula: Formula, names: set[str]) -> Iterator[Fault]:
    """In math a numeral stands by itself: not in words, and never beside another."""
    for match in WORDS.finditer(formula.tex):
        if any(c.isnumeric() for c in match[1]) and match[1].strip() not in names:
            message = f"{match[1]!r} in a formula holds a numeral that is not checked"
            remedy = "write the number outside of the words, or add the name to docs/names.toml"
            yield Fault(page.path, formula.line, message, remedy)
    for match in GLUED.finditer(WORDS.sub(" w ", formula.tex)):
        message = f"{match[0]!r} in a formula reads as one number, but is checked as two"
        remedy = "write it as one number, or an operator between them"
        yield Fault(page.path, formula.line, message, remedy)
    if odd := [c for c in formula.tex if c.isnumeric() and not c.isascii()]:
        message = f"{odd[0]!r} in a formula is a numeral that is not checked"
        yield Fault(page.path, formula.line, message, "write it with the digits 0 to 9")


def _formula_definitions(
    page: Page, evaluator: Evaluator, faults: list[Fault]
) -> dict[str, Definition]:
    found: dict[str, Definition] = {}
    for definition in page.definitions.values():
        if definition.kind == "unchecked":
            found[_squeeze(definition.expression)] = definition
        if definition.kind != "formula":
            continue
        match = CALL.match(definition.expression)
        if match and callable(evaluator.names.get(match["call"].partition("(")[0])):
            found[_squeeze(match["left"])] = definition
        else:
            message = f"[{definition.label}] is not of the form: left side = function(letters)"
            remedy = f'write [{definition.label}]: #formula "q = largest_level(b)"'
            faults.append(Fault(page.path, definition.line, message, remedy))
    return found


def _check(
    page: Page,
    formula: Formula,
    evaluator: Evaluator,
    grounds: Sequence[Ground],
    lefts: Mapping[str, Definition],
    matched: set[str],
) -> Iterator[Fault]:
    unjudged: list[str] = []
    shown = formula.tex.strip()

    def judge(tex: str) -> bool | None:
        """True or False where something in the formula can be judged, None where nothing can."""
        unjudged.clear()
        verdicts = []
        for statement in (each for each in statements(tex) if each.relations):
            definition = lefts.get(_squeeze(statement.sides[0]))
            if definition is not None:
                matched.add(_squeeze(statement.sides[0]))
            if definition is not None and definition.kind == "formula":
                verdicts.append(_agrees(statement, definition, evaluator))
            try:
                verdicts.append(holds(statement))
            except Symbolic:  # no arithmetic: its numbers must be grounded
                if definition is None:
                    unjudged.append(statement.sides[0])
            else:
                if definition is None and _has_letters(statement):
                    unjudged.append(statement.sides[0])
        return all(verdicts) if verdicts else None

    try:
        verdict = judge(formula.tex)
    except Wrong as error:
        yield Fault(page.path, formula.line, str(error), error.remedy)
        return
    if verdict is False:
        remedy = "correct it: both sides are evaluated at the precision written"
        message = f"this formula is not true: ${shown}$"
        yield Fault(page.path, formula.line, message, remedy + _sides(formula.tex))
        return
    for side in unjudged:
        message = f"nothing checks the letters of ${shown[:80]}$"
        remedy = f'add [label]: #formula "{side} = function(letters)" or #unchecked "{side}"'
        yield Fault(page.path, formula.line, message, remedy)
    if any(map(_says_nothing, statements(formula.tex))):
        message = f"this formula says that something equals itself: ${shown}$"
        remedy = "write the calculation that gives it, or prove the number with a definition"
        yield Fault(page.path, formula.line, message, remedy)
    for start, end, literal in literals(formula.tex):
        digits = [index for index in range(start, end) if formula.tex[index].isdigit()]
        if any(grounding(literal, grounds)) or all(
            _is_sensitive(formula.tex, index, judge) for index in digits
        ):
            continue
        message = (
            f"{formula.tex[start:end]} in ${shown[:60]}$ could change without the formula becoming "
            "false, and this page proves no such value"
        )
        remedy = "prove it with a definition on this page, or carry more digits"
        yield Fault(page.path, page.line_of(formula.start + start), message, remedy)


def _has_letters(statement: Statement) -> bool:
    for side in statement.sides:
        try:
            evaluate_side(side)
        except Symbolic:
            return True
        except Undefined:
            continue
    return False


def _says_nothing(statement: Statement) -> bool:
    """Whether two sides are the same number, written down twice."""
    literals = [_squeeze(side) for side in statement.sides if parse_literal(side)]
    return len(set(literals)) < len(literals)


def _is_sensitive(tex: str, index: int, judge: Callable[[str], bool | None]) -> bool:
    digit = int(tex[index])
    for other in {(digit + 1) % 10, (digit - 1) % 10}:
        try:
            if judge(f"{tex[:index]}{other}{tex[index + 1 :]}") is not False:
                return False
        except Wrong:
            continue
    return True


def _agrees(statement: Statement, definition: Definition, evaluator: Evaluator) -> bool:
    """Whether the sides that have these letters equal the function at random values of them."""
    match = CALL.match(definition.expression)
    assert match is not None  # _formula_definitions kept only those that match
    name, _, rest = match["call"].partition("(")
    arguments = [
        (key.strip(), letter.strip())
        for key, _, letter in (each.rpartition("=") for each in rest.rstrip(") ").split(","))
    ]
    letters = [letter for _, letter in arguments if not letter.isdigit()]
    sides = _sides_of_letters(statement, definition, letters)
    generator = random.Random(definition.expression)
    judged = 0
    for _ in range(TRIALS * 40):
        bindings = {letter: float(generator.randint(2, 40)) for letter in letters}
        given = [(k, int(bindings.get(letter) or int(letter))) for k, letter in arguments]
        try:
            expected = evaluator.names[name](
                *[value for key, value in given if not key],
                **{key: value for key, value in given if key},
            )
        except ValueError:
            continue  # outside the function's domain
        except TypeError as error:
            remedy = "give each argument as the function names it"
            raise Wrong(f"[{definition.label}]: {error}", remedy) from None
        for side in sides:
            try:
                found = evaluate_side(side, bindings).value
            except Undefined:
                return False
            if abs(found - expected) > 1e-9 * max(abs(expected), abs(found)):
                return False
        judged += 1
        if judged == TRIALS:
            return True
    message = f"{name} accepts too few of the values tried for {', '.join(letters)}"
    raise Wrong(message, "use a function that takes whole numbers between 2 and 40")


def _sides_of_letters(
    statement: Statement, definition: Definition, letters: Sequence[str]
) -> list[str]:
    """The sides that the function must give; the first is one where it is more than a name."""
    bindings = dict.fromkeys(letters, 2.0)
    found = []
    for index, side in enumerate(statement.sides):
        try:
            evaluate_side(side)
            continue  # a number, which stands for one case and is judged as such
        except Undefined:
            pass
        except Symbolic:
            try:
                evaluate_side(side, bindings)
            except Undefined:
                pass
            except Symbolic as error:
                if index == 0:
                    continue  # the name of what the function gives
                message = f"[{definition.label}] cannot be compared: {error}"
                remedy = "use the letters that the definition passes, or write it more plainly"
                raise Wrong(message, remedy) from None
        found.append(side)
    if not found:
        message = f"[{definition.label}] cannot be compared: no side has its letters"
        raise Wrong(message, "write the formula's letters as the definition passes them")
    return found


def _sides(tex: str) -> str:
    shown = []
    for statement in statements(tex):
        for side in statement.sides:
            try:
                found = evaluate_side(side)
            except (Symbolic, Undefined):
                continue
            unit = f" {spelled(found.dimension)}" if found.dimension else ""
            shown.append(f"{side} is {found.value:.10g}{unit}")
    return " (" + "; ".join(shown) + ")" if shown else ""


def _squeeze(tex: str) -> str:
    return re.sub(r"\s+|\\[,;:! ]", "", tex)
