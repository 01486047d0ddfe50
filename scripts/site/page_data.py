"""What pages offer beside what is rendered: the data of their own tables, notes on their numbers.

`page_sources.py` has it written in a process of its own: `python -m scripts.site.page_data FOLDER`.
"""

import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import snippets
from scripts.core.files import read_text, write_bytes
from scripts.handbook import origins
from scripts.handbook.lab_source import parse_source
from scripts.handbook.ledger import anchor
from scripts.handbook.this_book import BIBLIOGRAPHY, page_paths
from scripts.javascript.live_numbers import CARDS, MODELS
from scripts.proof import bibliography
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from scripts.proof.numbers import UNLINKED, split_unit
from scripts.proof.page import Page
from scripts.records import record as records
from scripts.site.page_tables import named_tables, tables_of
from scripts.tables.data import Origin, TableData

TABLES = "docs/tables"
LEDGER = f"{TABLES}/ledger.md"
LOCAL = f"{TABLES}/local"


def files(root: Path) -> dict[str, bytes]:
    """The files by path below the site."""
    entries = bibliography.read_bibliography(root / BIBLIOGRAPHY, name=BIBLIOGRAPHY)
    evaluator = Evaluator(names_of(snippets), records.read_all(root), entries)

    @cache
    def told(origin: Origin) -> Mapping[str, Any]:
        return origins.origin(*origin, evaluator)

    @cache
    def page(path: str) -> Page:
        return parse_source(path, read_text(root / path, name=path))

    tables: dict[str, TableData] = {}
    notes: dict[str, dict[str, list[str]]] = {}
    for path in page_paths(root):
        if path.endswith(".md"):
            own = named_tables(page(path), Path(path).stem)
            tables |= {name: table.data() for name, table in own.items()}
        parts = [path, *(name for _, name in page(path).embeds if (root / name).is_file())]
        notes[Path(path).relative_to("docs").with_suffix("").as_posix()] = {
            anchor(each.kind, each.expression): origins.lines(told((each.kind, each.expression)))
            for part in parts
            if part != LEDGER  # which is long, and defines nothing
            for each in page(part).definitions.values()
            if each.kind not in UNLINKED
        }
    tables |= written_tables(root)
    made: dict[str, bytes] = {}
    for name, figures in registry_figures(page, told).items():
        made[f"data/figures/{name}.json"] = json.dumps(figures, ensure_ascii=False).encode()
    for name, table in tables.items():
        made[f"data/tables/{name}.csv"] = table.csv()
        made[f"data/tables/{name}.json"] = table.json(name, told)
    for name, lines in notes.items():
        if lines:
            text = json.dumps(lines, ensure_ascii=False, separators=(",", ":"))
            made[f"data/notes/{name}.json"] = text.encode()
    return made


def registry_figures(
    page: Callable[[str], Page], told: Callable[[Origin], Mapping[str, Any]]
) -> dict[str, dict[str, list[str]]]:
    """By slug of a card or model and by figure: its row of the ledger, then where it was read."""
    slugs = {name: slug for known in (CARDS, MODELS) for name, slug in known.items()}
    found: dict[str, dict[str, list[str]]] = {}
    for table in ("hardware", "models"):
        for each in page(f"{TABLES}/{table}.md").definitions.values():
            name, _, figure = split_unit(each.expression)[0].partition(".")
            if each.kind == "cite" and name in slugs:
                lines = origins.lines(told((each.kind, each.expression)))
                row = anchor(each.kind, each.expression)
                found.setdefault(slugs[name], {})[figure] = [row, *lines]
    return found


def written_tables(root: Path) -> dict[str, TableData]:
    """The tables that have no object: the ledger's, and those that only this machine's site shows."""
    found: dict[str, TableData] = {}
    for file in [root / LEDGER, *sorted((root / LOCAL).glob("*.md"))]:
        if file.is_file():
            name = file.relative_to(root / TABLES).with_suffix("").as_posix()
            place = f"{TABLES}/{name}.md"
            tables = tables_of(Page(place, read_text(file, name=place)))
            for number, table in enumerate(tables, 1):
                found[name if number == 1 else f"{name}-{number}"] = table.data()
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for path, data in files(Path(__file__).parents[2]).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_bytes(folder / path, data)
