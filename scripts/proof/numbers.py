"""Check the proven numbers of a page: the value behind each, formatted as written, is its text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scripts.core.faults import Fault
from scripts.proof.evaluate import Evaluator, Wrong
from scripts.proof.page import Definition, Page, Reference
from scripts.proof.written import NotWritten, parse_written, unit_scale

UNIT = re.compile(r"^(?P<expression>.*\S) in (?P<unit>\S+)$")


@dataclass(frozen=True)
class Checked:
    """A definition with what it stands for: a number, or the words that a citation must show.

    `year` is that of the work cited, which may always be shown.
    """

    definition: Definition
    value: float | None
    words: str
    unit: str
    year: str


def split_unit(expression: str) -> tuple[str, str]:
    """`"x.y in GB/s"` as ("x.y", "GB/s"); the unit is "" where none is said."""
    match = UNIT.match(expression)
    return (match["expression"], match["unit"]) if match else (expression, "")


def check_definitions(page: Page, evaluator: Evaluator) -> tuple[dict[str, Checked], list[Fault]]:
    """The value of each definition of a page, by label, and the faults of those without one."""
    checked: dict[str, Checked] = {}
    faults = []
    for label, definition in page.definitions.items():
        if definition.kind == "formula":
            continue
        expression, unit = split_unit(definition.expression)
        try:
            words = ""
            if unit:
                _known(unit)
            if definition.kind == "cite":
                value, words = evaluator.cite(expression)
            elif definition.kind == "record":
                value = evaluator.record(expression)
            else:
                value = evaluator.calc(expression)
        except Wrong as error:
            faults.append(Fault(page.path, definition.line, f"[{label}]: {error}", error.remedy))
        else:
            year = evaluator.year(expression) if definition.kind == "cite" else ""
            checked[label] = Checked(definition, value, words, unit, year)
    return checked, faults


def check_references(
    page: Page, checked: Mapping[str, Checked]
) -> tuple[list[Fault], list[tuple[int, int, str]]]:
    """The faults of a page's numbers, and the edits (start, end, text) that would mend them."""
    faults: list[Fault] = []
    edits: list[tuple[int, int, str]] = []
    for reference in page.references:
        found = checked.get(reference.label)
        if page.definitions[reference.label].kind == "formula":
            faults.append(
                Fault(
                    page.path,
                    reference.line,
                    f"[{reference.label}] is a formula, not a number",
                    "a #formula is matched by its left side; remove the link",
                )
            )
        elif found is not None:
            fault, edit = _check_reference(page, reference, found)
            if fault:
                faults.append(fault)
            if edit:
                edits.append(edit)
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
        if definition.kind != "formula" and label not in used
    ]


def _check_reference(
    page: Page, reference: Reference, found: Checked
) -> tuple[Fault | None, tuple[int, int, str] | None]:
    def fault(message: str, remedy: str) -> Fault:
        return Fault(page.path, reference.line, message, remedy)

    if found.value is None:
        text = " ".join(reference.text.split())
        if not re.search(rf"(?<!\w){re.escape(found.words)}(?!\w)", text):
            return (
                fault(
                    f"[{text}] does not show {found.words!r}, which its citation says",
                    f"write {found.words!r} in the link's text, or correct the #cite",
                ),
                None,
            )
        stray = re.findall(r"\d+", text.replace(found.words, " ").replace(found.year, " "))
        if stray:
            return (
                fault(
                    f"[{text}] holds {', '.join(stray)}, which its citation does not prove",
                    "link that number on its own",
                ),
                None,
            )
        return None, None
    try:
        written = parse_written(reference.text, unit=found.unit)
    except NotWritten as error:
        return fault(f"[{reference.text}]: {error}", "link exactly one number"), None
    if written.matches(found.value):
        return None, None
    if written.hides(found.value):
        return (
            fault(
                f"{written.text} hides a value that is not zero: {found.value:.10g}",
                "write more digits, or a smaller unit",
            ),
            None,
        )
    mended = written.format(found.value)
    expression = found.definition.expression
    message = f"{written.text} should be {mended}: {expression} is {found.value:.10g}"
    start = reference.start + written.start
    return (
        fault(message, f"run: python scripts/build.py --only {page.path}"),
        (start, start + len(written.text), mended),
    )


def _known(unit: str) -> None:
    try:
        unit_scale(unit)
    except KeyError:
        raise Wrong(
            f"no unit is called {unit!r}", "use one such as GB, GiB/s, TFLOP/s, ms, %"
        ) from None


def apply_edits(source: str, edits: list[tuple[int, int, str]]) -> str:
    """`source` with each (start, end, text) replaced, all offsets being those of `source`."""
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source
