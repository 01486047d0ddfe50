"""What the engine is told of this book, and where its pages lie.

`book(root, ...)` reads docs/names.toml, docs/units.toml and mkdocs.yml for whoever judges pages.
"""

import csv
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import snippets
from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.core.files import read_text
from scripts.core.freshness import files_digest
from scripts.handbook import lab_source, page_html
from scripts.proof import bibliography
from scripts.proof.book import Book
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from scripts.proof.programs import Programs
from scripts.records import record as records

NAMES = "docs/names.toml"
UNITS = "docs/units.toml"
BIBLIOGRAPHY = "docs/data/bibliography.bib"
PRINTED = "docs/data/printed.json"  # what the programs of pages gave, under keys
MARK = "\ufeff"  # what some editors put before a text


@dataclass(frozen=True)
class Source:
    """A page's text with line feeds alone, and how its file writes them."""

    text: str
    mark: str = ""
    ends: str = "\n"

    @classmethod
    def of(cls, read: str) -> "Source":
        """That of a file's text; lines that end with CR LF keep doing so when it is mended."""
        mark = MARK if read.startswith(MARK) else ""
        ends = "\r\n" if "\r\n" in read else "\n"
        return cls(read.removeprefix(MARK).replace("\r\n", "\n"), mark, ends)

    def with_text(self, text: str) -> bytes:
        """The bytes of its file with another text."""
        return (self.mark + text.replace("\n", self.ends)).encode()


def book(
    root: Path,
    cache: Cache,
    published: Mapping[str, records.Record],
    entries: Mapping[str, Mapping[str, str]],
) -> Book:
    """The engine's view of this book. Raises BadInput for lists that cannot be read."""
    groups = _toml(root, UNITS)
    return Book(
        root=root,
        evaluator=Evaluator(names_of(snippets), published, entries),
        cache=cache,
        programs=Programs(root, cache, printed(root)),
        names=read_names(root),
        units={name: unit for group in groups.values() for name, unit in group.items()},
        render=page_html.renderer(root),
        rendering="\n".join(
            [page_html.fingerprint(root), files_digest(root, ("scripts/proof", NAMES))]
        ),
    )


def read_entries(root: Path, cache: Cache) -> dict[str, bibliography.Entry]:
    """The bibliography; one that was read without fault before is not parsed again."""
    stamp = files_digest(root, [BIBLIOGRAPHY, "scripts/proof/bibliography.py"])
    entries = cache.get("bibliography", stamp)
    if entries is None:
        entries = bibliography.read_bibliography(root / BIBLIOGRAPHY, name=BIBLIOGRAPHY)
        cache.put("bibliography", stamp, entries)
    return dict(entries)


def page_paths(root: Path) -> list[str]:
    """The pages of the site in reading order: the index, the chapters, the rest."""
    files = [*(root / "docs").rglob("*.md"), *(root / lab_source.LABS).glob("*.py")]
    found = [path.relative_to(root).as_posix() for path in files]
    pages = [path for path in found if not path.startswith(("docs/tables/", "docs/assets/"))]
    return sorted(pages, key=lambda path: (path != "docs/index.md", "/chapters/" not in path, path))


def read_names(root: Path) -> list[str]:
    """The exact names that may hold numerals. Raises BadInput when the list cannot be read."""
    try:
        groups = _toml(root, NAMES).values()
        listed = [name for group in groups if group["reason"] for name in group.get("names", [])]
        tables = [group["names_of"] for group in groups if "names" not in group]
        return listed + [row["name"] for path in tables for row in _rows(root / path)]
    except (KeyError, TypeError) as error:
        remedy = 'each group needs reason = "...", and names = [...] or names_of = "a table.csv or a folder"'
        raise BadInput(NAMES, 0, f"cannot be read: {error}", remedy) from None


def printed(root: Path) -> dict[str, Any]:
    """What is published of programs run before."""
    try:
        return dict(json.loads((root / PRINTED).read_text(encoding="utf-8")))
    except (OSError, ValueError):  # absent or damaged: programs are run
        return {}


def _rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a table, or what the JSON files of a folder hold."""
    if path.is_dir():
        return [json.loads(read_text(file)) for file in sorted(path.glob("*.json"))]
    return list(csv.DictReader(read_text(path).splitlines()))


def _toml(root: Path, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(root / name, name=name))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(name, 0, f"cannot be read: {error}", "correct its TOML") from None
