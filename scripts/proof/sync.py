"""Bring chapters, tables and figures in step with snippets and records, or say where they are not."""

import csv
import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.core.cache import Cache
from scripts.core.faults import BadInput, Fault
from scripts.core.files import read_text
from scripts.exhibits import rendering
from scripts.proof import bibliography, front, functions, generated, labs, numbers, origins
from scripts.proof.check import PageCheck, check_page
from scripts.proof.evaluate import Evaluator, load_snippet, snippet_modules
from scripts.proof.page import Page
from scripts.proof.parse import parse_page
from scripts.records import record as records

NAMES = "docs/names.toml"
BIBLIOGRAPHY = "docs/data/bibliography.bib"


@dataclass
class Counts:
    """How many of each were found in the sources and checked."""

    pages: int = 0
    fences: int = 0
    printed: int = 0
    run: int = 0
    numbers: int = 0
    formulas: int = 0
    examples: int = 0
    records: int = 0
    rendered: int = 0


@dataclass
class Result:
    """What a check found. `broken` needs a person; `stale` is mended by writing `files`."""

    broken: list[Fault] = field(default_factory=list)
    stale: list[Fault] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    pages: dict[str, Page] = field(default_factory=dict)

    @property
    def faults(self) -> list[Fault]:
        """All faults in the order of their places."""
        return sorted(self.broken + self.stale, key=lambda fault: (fault.path, fault.line))


def synchronize(
    root: Path, cache: Cache, *, wanted: Callable[[str], bool] = lambda path: True
) -> Result:
    """Check everything under `root`; nothing is written. `wanted` limits which files are judged."""
    result = Result()
    published = _read_records(root, result)
    if result.broken:  # what depends on these records would only bury their faults
        return result
    try:
        names = read_names(root)
        entries = bibliography.read_bibliography(root / BIBLIOGRAPHY, name=BIBLIOGRAPHY)
        evaluator = Evaluator(published, entries)
    except BadInput as error:
        result.broken.append(error.fault)
        return result
    examples, faults = functions.check_examples(root)  # all import: the evaluator has them
    result.counts.examples = examples
    result.broken += faults
    made = _render(root, cache, evaluator, result)
    sources = _page_sources(root, result)
    chapters = [path for path in sources if path.startswith(front.CHAPTERS)]
    for path, source in sources.items():
        result.pages[path] = labs.parse_source(path, source, names=names)
        if not labs.is_lab(path):
            result.broken += front.check_front(path, source, chapters)
    for path, data in made.items():
        if path.endswith(".md"):
            result.pages[path] = parse_page(path, data.decode(), names=names)
    checked = {}
    for path, page in result.pages.items():
        found = check_page(page, evaluator, root=root, cache=cache, run=wanted(path))
        checked[path] = found.checked
        _collect(found, result, sources.get(path, ""))
    made |= _check_labs(root, sources, result)
    made |= generated.works_cited(result.pages, entries)
    made |= generated.ledger_and_functions(root, result.pages, checked)
    result.counts.rendered = len(made)
    for path, data in made.items():
        if fault := generated.compare(root, path, data):
            result.stale.append(fault)
            result.files[path] = data
    _check_embeds(made, result)
    result.broken = [fault for fault in result.broken if wanted(fault.path)]
    result.stale = [fault for fault in result.stale if wanted(fault.path)]
    result.files = {path: data for path, data in result.files.items() if wanted(path)}
    return result


def page_paths(root: Path) -> list[str]:
    """The pages of the site in reading order: the index, the chapters, the rest."""
    files = [*(root / "docs").rglob("*.md"), *(root / labs.LABS).glob("*.py")]
    found = [path.relative_to(root).as_posix() for path in files]
    pages = [path for path in found if not path.startswith(("docs/tables/", "docs/assets/"))]
    return sorted(pages, key=lambda path: (path != "docs/index.md", "/chapters/" not in path, path))


def _read_records(root: Path, result: Result) -> dict[str, records.Record]:
    for name in snippet_modules():
        load_snippet(name)  # names a module that cannot be imported, before what follows needs it
    from scripts.experiments.plausibility import implausible

    found = {}
    for key, path in records.record_paths(root).items():
        try:
            record = records.read_record(path)
            if record.key != key:
                raise BadInput(
                    path, 0, f"holds the record of {record.key}", f"move it to {record.key}.json"
                )
            found[key] = record
            result.broken += implausible(record)
        except BadInput as error:
            fault = error.fault
            name = path.relative_to(root).as_posix()
            result.broken.append(Fault(name, fault.line, fault.message, fault.remedy))
    result.counts.records = len(found)
    return found


def read_names(root: Path) -> list[str]:
    """The exact names that may hold numerals. Raises BadInput when the list cannot be read."""
    text = read_text(root / NAMES, name=NAMES)
    try:
        groups = tomllib.loads(text).values()
        listed = [name for group in groups if group["reason"] for name in group.get("names", [])]
        tables = [group["names_of"] for group in groups if "names" not in group]
        return listed + [row["name"] for path in tables for row in _rows(root / path)]
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise BadInput(
            NAMES,
            0,
            f"cannot be read: {error}",
            'each group needs reason = "...", and names = [...] or names_of = "a table.csv"',
        ) from None


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(read_text(path).splitlines()))


def _render(root: Path, cache: Cache, evaluator: Evaluator, result: Result) -> dict[str, bytes]:
    """The rendered tables and figures; those known to be as they were are read, not drawn again."""

    def told(origin: tuple[str, str]) -> Mapping[str, Any]:
        return origins.origin(*origin, evaluator)

    try:
        found = rendering.render(root, cache, evaluator, told)
    except BadInput as error:
        result.broken.append(error.fault)
        return {}
    keys = found.pop(rendering.KEYS)  # stale ones are no fault
    if generated.compare(root, f"docs/{rendering.KEYS}", keys):
        result.files[f"docs/{rendering.KEYS}"] = keys
    return {f"docs/{path}": data for path, data in found.items()}


def _page_sources(root: Path, result: Result) -> dict[str, str]:
    sources = {}
    for path in page_paths(root):
        try:
            sources[path] = read_text(root / path, name=path)
        except BadInput as error:
            result.broken.append(error.fault)
    return sources


def _check_labs(root: Path, sources: Mapping[str, str], result: Result) -> dict[str, bytes]:
    """The notebooks of the labs, each of which fetches the project from where it is published."""
    made = {}
    for path, source in sources.items():
        if labs.is_lab(path):
            source = result.files[path].decode() if path in result.files else source
            fault, mended = labs.check_address(path, source, os.environ.get("REPO_URL", ""))
            if fault:
                result.stale.append(fault)
                result.files[path] = mended.encode()
            held = labs.read_notebook(path, root)
            made[labs.notebook_path(path)] = labs.notebook(mended, held)
    return made


def _collect(found: PageCheck, result: Result, source: str) -> None:
    page, counts = found.page, result.counts
    result.broken += found.broken
    result.stale += found.stale
    if found.edits:
        mended = numbers.apply_edits(page.source, found.edits)
        mended = labs.with_markdown(source, mended) if labs.is_lab(page.path) else mended
        result.files[page.path] = mended.encode()
    counts.pages += 1
    counts.numbers += len(page.references)
    counts.formulas += len(page.formulas)
    counts.fences += len(page.printed)
    counts.printed += sum(printed.output is not None for printed in page.printed)
    counts.run += found.run


def _check_embeds(made: Mapping[str, bytes], result: Result) -> None:
    """Only what is generated may be embedded: nothing else has had its numbers checked."""
    for page in result.pages.values():
        for line, name in page.embeds:
            if name not in made and not name.startswith("docs/tables/local/"):
                close = difflib.get_close_matches(name, [n for n in made if n.endswith(".md")], n=2)
                fault = Fault(
                    page.path,
                    line,
                    f"{name} is no table that the build makes",
                    f"did you mean {' or '.join(close)}?" if close else "embed one of docs/tables/",
                )
                result.broken.append(fault)
