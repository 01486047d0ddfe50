"""Check one page: its form, its numbers, its formulas and what its code prints."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.core.cache import Cache
from scripts.core.faults import Fault
from scripts.proof import fences, formulas, numbers, tags
from scripts.proof.evaluate import Evaluator
from scripts.proof.page import Page

MEND = "run: "


@dataclass
class PageCheck:
    """What was found on a page. `broken` needs a person; `stale` is mended by `edits`."""

    page: Page
    checked: Mapping[str, numbers.Checked] = field(default_factory=dict)
    broken: list[Fault] = field(default_factory=list)
    stale: list[Fault] = field(default_factory=list)
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    run: int = 0

    def add(self, fault: Fault) -> None:
        """File a fault under what it needs."""
        (self.stale if fault.remedy.startswith(MEND) else self.broken).append(fault)


def check_page(
    page: Page, evaluator: Evaluator, *, root: Path, cache: Cache, run: bool = True
) -> PageCheck:
    """Everything that is wrong with a page. `run`: whether its fences are run and compared."""
    from scripts.proof import live  # imports snippets, which have been found to import by now

    found = PageCheck(page)
    found.broken += page.faults
    found.checked, faults = numbers.check_definitions(page, evaluator)
    values = {label: one.value for label, one in found.checked.items() if one.value is not None}
    grounding = formulas.grounding_labels(page, values)
    references, found.edits = numbers.check_references(page, found.checked)
    for fault in (
        *faults,
        *formulas.check_formulas(page, evaluator, values),
        *numbers.unused_definitions(page, grounding),
        *tags.check_tags(page),
        *live.check_live(page, found.checked),
        *references,
    ):
        found.add(fault)
    if run:
        _check_fences(found, root, cache)
    return found


def _check_fences(found: PageCheck, root: Path, cache: Cache) -> None:
    codes, faults = fences.codes_of(found.page, root)
    found.broken += faults
    outcomes = fences.run_codes(codes, root, cache)
    for code, (outcome, ran) in zip(codes, outcomes, strict=True):
        found.run += ran
        fault, output = fences.compare(code, outcome)
        if fault is not None:
            found.add(fault)
        if output is not None:
            found.edits.append(fences.output_edit(code, output))
