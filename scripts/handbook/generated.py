"""What is generated from the pages themselves: the ledger, the functions, the works cited."""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.core.faults import Fault, stale
from scripts.handbook import functions, ledger
from scripts.proof import bibliography, numbers
from scripts.proof.page import Definition, Page

TABLES = "docs/tables/"
LONGEST_DIFF = 40


def title_of(page: Page) -> str:
    """The page's first heading."""
    for line in page.source.splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return Path(page.path).stem


def works_cited(
    pages: Mapping[str, Page], entries: Mapping[str, Mapping[str, str]]
) -> dict[str, bytes]:
    """The bibliography, and for each chapter the list of works that it cites, by path."""
    listed = bibliography.bibliography_tables(entries)
    made = {f"docs/{name}": data for name, data in listed.items()}
    for path, page in pages.items():
        if "/chapters/" in path:
            table = f"{Path(path).stem.partition('-')[0]}-references"
            keys = [definition.expression.partition(":")[0].strip() for definition in _cites(page)]
            text = bibliography.references([k for k in keys if k in entries], entries)
            made[f"{TABLES}{table}.md"] = text.encode()
    return made


def _cites(page: Page) -> Iterable[Definition]:
    return (definition for definition in page.definitions.values() if definition.kind == "cite")


def ledger_and_functions(
    pages: Mapping[str, Page], checked: Mapping[str, Mapping[str, numbers.Checked]]
) -> dict[str, bytes]:
    """The ledger of all proven numbers and the reference of all functions, by path."""
    named = {path: title_of(page) for path, page in pages.items() if not path.startswith(TABLES)}
    found = ledger.entries((page, checked[path]) for path, page in pages.items())
    return {
        f"{TABLES}ledger.md": ledger.ledger_table(found, named).encode(),
        f"{TABLES}functions.md": functions.functions_table().encode(),
    }


def compare(root: Path, path: str, data: bytes) -> Fault | None:
    """The fault, with a diff, of a generated file that is missing or not as it should be."""
    file = root / path
    found = file.read_bytes() if file.is_file() else b""
    if found == data:
        return None
    message = "is not what the records and snippets give" if found else "is missing"
    return stale(path, message, diff=_diff(path, found, data), alone=False)


def _diff(path: str, found: bytes, data: bytes) -> str:
    try:
        old, new = found.decode().splitlines(), data.decode().splitlines()
    except UnicodeDecodeError:
        return ""
    names = (f"{path} (is)", f"{path} (should be)")
    lines = [line[:240] for line in difflib.unified_diff(old, new, *names, lineterm="", n=1)]
    if len(lines) > LONGEST_DIFF:
        lines[LONGEST_DIFF:] = [f"… {len(lines) - LONGEST_DIFF} more lines"]
    return "\n".join(lines)
