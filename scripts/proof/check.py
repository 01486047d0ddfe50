"""Check one page: its form, its numbers, its formulas, what its code prints, and what readers see.

Whoever checks a book calls `check_page(page, book)` for each page and gets a PageCheck; nothing is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scripts.core.faults import Fault
from scripts.proof import formulas, grounds, numbers, programs, tags
from scripts.proof.book import Book
from scripts.proof.page import Page


@dataclass
class PageCheck:
    """What was found on a page. `edits` mend the faults that are stale."""

    page: Page
    checked: Mapping[str, numbers.Checked] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    edits: list[numbers.Edit] = field(default_factory=list)


def check_page(page: Page, book: Book, *, run: bool = True) -> PageCheck:
    """Everything that is wrong with a page's source. `run`: whether its programs are run."""
    found = PageCheck(page, faults=list(page.faults))
    found.checked, faults = numbers.check_definitions(page, book.evaluator, book.units)
    references, found.edits = numbers.check_references(page, found.checked)
    found.faults += [
        *faults,
        *formulas.check_formulas(page, book.evaluator, found.checked, book.names),
        *numbers.unused_definitions(page, grounds.grounding_labels(page, found.checked)),
        *tags.check_tags(page),
        *references,
    ]
    if run:
        _check_programs(found, book)
    return found


def _check_programs(found: PageCheck, book: Book) -> None:
    codes, faults = programs.codes_of(found.page, book.root)
    found.faults += faults
    for code, (outcome, _) in zip(codes, book.programs.outcomes(codes), strict=True):
        fault, output = programs.compare(code, outcome)
        if fault is not None:
            found.faults.append(fault)
        if output is not None:
            found.edits.append(programs.output_edit(code, output))
