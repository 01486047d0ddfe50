"""Check the proven numbers of a page: the value behind each, formatted as written, is its text.

`check_definitions` finds what each definition stands for; `check_references` compares that with every
text that links to it.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from scripts.core.faults import Fault, stale
from scripts.proof.dimensions import Mixed, dimension_of, dimension_of_record
from scripts.proof.evaluate import Evaluator, Wrong
from scripts.proof.page import Definition, Page, Reference
from scripts.proof.units import WORDS, Dimension, spelled
from scripts.proof.written import NotWritten, named_unit, parse_written

UNIT = re.compile(r"^(?P<expression>.*\S) in (?P<unit>\S+)$")
UNLINKED = ("formula", "unchecked", "holds")  # kinds that prove something else than a number
Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Checked:
    """A definition with what it stands for: a number, or the words that a citation must show.

    `year` is that of the work cited, which may always be shown; `dimension` what the number measures.
    """

    definition: Definition
    value: float | None
    words: str
    unit: str
    year: str
    dimension: Dimension | None = None


def split_unit(expression: str) -> tuple[str, str]:
    """`"x.y in GB/s"` as ("x.y", "GB/s"); the unit is "" where none is said."""
    match = UNIT.match(expression)
    return (match["expression"], match["unit"]) if match else (expression, "")


def check_definitions(
    page: Page, evaluator: Evaluator, units: Mapping[str, str] | None = None
) -> tuple[dict[str, Checked], list[Fault]]:
    """The value of each definition of a page, by label, and the faults of those without one.

    `units` declares what fields and functions measure; without it no unit is compared with that.
    """
    checked: dict[str, Checked] = {}
    faults = []
    for label, definition in page.definitions.items():
        if definition.kind in UNLINKED:
            continue
        try:
            checked[label] = _check_definition(definition, evaluator, units)
        except Wrong as error:
            faults.append(Fault(page.path, definition.line, f"[{label}]: {error}", error.remedy))
    return checked, faults


def _check_definition(
    definition: Definition, evaluator: Evaluator, units: Mapping[str, str] | None
) -> Checked:
    expression, unit = split_unit(definition.expression)
    value: float | None
    words = year = ""
    try:
        stated = named_unit(unit).dimension if unit else None
        stated = None if unit in WORDS else stated  # a trillion of anything
        if definition.kind == "record":
            value = evaluator.record(expression)
            measured = dimension_of_record(expression, units) if units else None
        elif definition.kind == "cite":
            value, words = evaluator.cite(expression)
            year = evaluator.year(expression)
            cited = bool(year) or ":" in expression
            measured = dimension_of(expression, units) if units and not cited else None
        else:
            value = evaluator.calc(expression)
            measured = dimension_of(expression, units) if units else None
    except KeyError:
        remedy = "use one such as GB, GiB/s, TFLOP/s, ms, %"
        raise Wrong(f"no unit is called {unit!r}", remedy) from None
    except Mixed as error:
        raise Wrong(f"{expression}: {error}", "correct the expression") from None
    if None not in (stated, measured) and stated != measured:
        message = f"{unit} is no unit of {expression}, which is {spelled(measured or ())}"
        raise Wrong(message, "correct the unit, or name another field")
    return Checked(definition, value, words, unit, year, measured if stated is None else stated)


def check_references(page: Page, checked: Mapping[str, Checked]) -> tuple[list[Fault], list[Edit]]:
    """The faults of a page's numbers, and the edits (start, end, text) that would mend them."""
    faults: list[Fault] = []
    edits: list[Edit] = []
    for reference in page.references:
        label = reference.label
        if page.definitions[label].kind in UNLINKED:
            message = f"[{label}] is a formula, not a number"
            remedy = "a #formula is matched by its left side; remove the link"
            faults.append(Fault(page.path, reference.line, message, remedy))
        elif label in checked:
            found = _judge(page, reference, checked[label])
            faults += [each for each in found if isinstance(each, Fault)]
            edits += [each for each in found if not isinstance(each, Fault)]
    return faults, edits


def unused_definitions(page: Page, grounding: set[str]) -> list[Fault]:
    """The definitions that neither a number nor a formula of the page uses."""
    used = {reference.label for reference in page.references} | grounding
    return [
        Fault(
            page.path,
            definition.line,
            f"[{label}] is defined but no number or formula uses it",
            "remove it, or link the number that it proves",
        )
        for label, definition in page.definitions.items()
        if definition.kind not in UNLINKED and label not in used
    ]


def _judge(page: Page, reference: Reference, found: Checked) -> list[Fault | Edit]:
    def fault(message: str, remedy: str) -> list[Fault | Edit]:
        return [Fault(page.path, reference.line, message, remedy)]

    text = " ".join(reference.text.split())
    if found.value is None:
        if not re.search(rf"(?<!\w){re.escape(found.words)}(?!\w)", text):
            message = f"[{text}] does not show {found.words!r}, which its citation says"
            return fault(message, f"write {found.words!r} in its text, or correct the #cite")
        left = text.replace(found.words, " ").replace(found.year, " ")
        stray = re.findall(r"\d+|[^\W\d_]*[^\x00-\x7f]", left)
        if stray := [each for each in stray if any(c.isnumeric() for c in each)]:
            message = f"[{text}] holds {', '.join(stray)}, which its citation does not prove"
            return fault(message, "link that number on its own")
        return []
    try:
        written = parse_written(reference.text, unit=found.unit)
    except NotWritten as error:
        return fault(f"[{reference.text}]: {error}", "link exactly one number")
    expression = found.definition.expression
    if _repeats_a_rate(found.definition, written.dimension):
        message = f"[{text}] is a fact about the world, which {expression} only repeats"
        return fault(message, 'name a registry\'s figure, or write #cite "key: place = value"')
    if None not in (written.dimension, found.dimension) and written.dimension != found.dimension:
        said, is_ = spelled(written.dimension or ()), spelled(found.dimension or ())
        message = f"[{text}] measures {said}, but {expression} is {is_}"
        return fault(message, "correct the unit, or name what is meant in the definition")
    if written.matches(found.value):
        return []
    if written.hides(found.value):
        message = f"{written.text} hides a value that is not zero: {found.value:.10g}"
        return fault(message, "write more digits, or a smaller unit")
    try:
        mended = written.format(found.value)
    except ValueError:
        message = f"{written.text} is not {expression}, which is {found.value:.10g}"
        return fault(message, "write another number, or correct the expression")
    message = f"{written.text} should be {mended}: {expression} is {found.value:.10g}"
    start = reference.start + written.start
    return [
        stale(page.path, message, reference.line),
        (start, start + len(written.text), mended),
    ]


def _repeats_a_rate(definition: Definition, dimension: Dimension | None) -> bool:
    """Whether a #calc only repeats how fast something is: a text may choose counts, not bandwidths."""
    measured = dict(dimension or ())
    if definition.kind != "calc" or measured.get("s") != -1 or not {"B", "bit", "op"} & {*measured}:
        return False
    tree = ast.parse(split_unit(definition.expression)[0].strip(), mode="eval")
    return not any(isinstance(node, ast.Name) for node in ast.walk(tree))


def apply_edits(source: str, edits: list[Edit]) -> str:
    """`source` with each (start, end, text) replaced, all offsets being those of `source`."""
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source
