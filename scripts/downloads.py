"""What the site offers beside its pages: the data of tables, and notes on where numbers come from.

It is written in a process of its own: `python -m scripts.downloads FOLDER`.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts import origins
from scripts.core.files import read_text, write_bytes
from scripts.proof import bibliography
from scripts.proof.evaluate import Evaluator
from scripts.proof.labs import parse_source
from scripts.proof.page import Page
from scripts.proof.sync import BIBLIOGRAPHY, page_paths
from scripts.records import record as records
from scripts.site.provenance import anchor
from scripts.table_data import TableData, as_csv, as_json, named_tables, tables_of

TABLES = "docs/tables"


def files(root: Path) -> dict[str, bytes]:
    """The files by path below the site."""
    entries = bibliography.read_bibliography(root / BIBLIOGRAPHY, name=BIBLIOGRAPHY)
    evaluator = Evaluator(records.read_all(root), entries)
    tables = sorted(path.relative_to(root).as_posix() for path in (root / TABLES).rglob("*.md"))
    sources = {path: read_text(root / path, name=path) for path in [*tables, *page_paths(root)]}
    pages = {
        path: Page(path, source)  # the ledger is long, and defines nothing
        if path in tables and "]: #" not in source
        else parse_source(path, source)
        for path, source in sources.items()
    }
    told = {path: _origins(page, evaluator) for path, page in pages.items()}
    made: dict[str, bytes] = {}
    for path in tables:
        made |= table_files(_numbered(path, pages[path]), told[path])
    for path in page_paths(root):
        own = named_tables(pages[path], Path(path).stem) if path.endswith(".md") else {}
        made |= table_files(own, told[path])
        embedded = [name for _, name in pages[path].embeds if name in told]
        notes = {
            anchor(page.definitions[label].kind, page.definitions[label].expression): each
            for page in (pages[name] for name in [path, *embedded])
            for label, each in told[page.path].items()
        }
        if notes:
            lines = {place: origins.lines(each) for place, each in notes.items()}
            name = Path(path).relative_to("docs").with_suffix("").as_posix()
            text = json.dumps(lines, ensure_ascii=False, separators=(",", ":"))
            made[f"data/notes/{name}.json"] = text.encode()
    return made


def table_files(
    tables: Mapping[str, TableData], told: Mapping[str, origins.Origin]
) -> dict[str, bytes]:
    """The CSV and JSON files of tables."""
    made = {}
    for name, table in tables.items():
        made[f"data/tables/{name}.csv"] = as_csv(table)
        made[f"data/tables/{name}.json"] = as_json(name, table, told)
    return made


def _numbered(path: str, page: Page) -> dict[str, TableData]:
    """A file's rendered tables, by its name; the second one is NAME-2."""
    name = path.removeprefix(f"{TABLES}/").removesuffix(".md")
    return {
        name if number == 1 else f"{name}-{number}": table
        for number, table in enumerate(tables_of(page), 1)
    }


def _origins(page: Page, evaluator: Evaluator) -> dict[str, origins.Origin]:
    return {
        label: origins.origin(each.kind, each.expression, evaluator)
        for label, each in page.definitions.items()
        if each.kind != "formula"
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for path, data in files(Path(__file__).parents[1]).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_bytes(folder / path, data)
