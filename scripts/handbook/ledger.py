"""The ledger: every proven number of the site, with its value, its source and its pages."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scripts.proof.numbers import Checked
from scripts.proof.page import Page

KINDS = {"calc": "computed", "cite": "cited", "record": "recorded"}
LEDGER = "/reference/ledger.md"


def anchor(kind: str, expression: str) -> str:
    """The id of a number's row in the ledger, the same for every page that states it."""
    return "p-" + hashlib.sha1(f"{kind} {expression}".encode()).hexdigest()[:8]


@dataclass
class Entry:
    """One expression: its kind, its value, and (page path, text) wherever it is written."""

    kind: str
    expression: str
    value: float | None
    words: str
    places: list[tuple[str, str]] = field(default_factory=list)


def entries(pages: Iterable[tuple[Page, Mapping[str, Checked]]]) -> list[Entry]:
    """The ledger's entries in the order in which readers meet them; equal expressions are one."""
    found: dict[tuple[str, str], Entry] = {}
    for page, checked in pages:
        for reference in page.references:
            one = checked.get(reference.label)
            if one is None:
                continue
            definition = one.definition
            entry = found.setdefault(
                (definition.kind, definition.expression),
                Entry(definition.kind, definition.expression, one.value, one.words),
            )
            place = (page.path, " ".join(reference.text.split()))
            if place not in entry.places:
                entry.places.append(place)
    return list(found.values())


def ledger_table(found: Iterable[Entry], titles: Mapping[str, str]) -> str:
    """The ledger as a Markdown table, one row per expression, each with its anchor.

    Numbers stand in code spans, since they are the proofs themselves. `titles` gives each page's
    title by its path; the numbers of a table are listed under the table's path.
    """
    rows = ["| kind | expression or source | value | written as |", "|---|---|---|---|"]
    for entry in found:
        identifier = anchor(entry.kind, entry.expression)
        value = entry.words if entry.value is None else f"{entry.value:.15g}"
        places = "; ".join(f"{_code(text)} {_place(path, titles)}" for path, text in entry.places)
        kind = f"[{KINDS[entry.kind]}](#{identifier}){{ #{identifier} }}"
        rows.append(f"| {kind} | {_code(entry.expression)} | {_code(value)} | {places} |")
    return "\n".join(rows) + "\n"


def _place(path: str, titles: Mapping[str, str]) -> str:
    if path in titles:
        return f"in [{titles[path]}]({path.removeprefix('docs')})"
    return f"in `{path.removeprefix('docs/')}`"


def _code(text: str) -> str:
    return "`" + text.replace("`", "'").replace("|", "¦") + "`"
