"""Check the whole book: what `build.py` calls to learn what is wrong, what is stale and what mends it.

`synchronize(root, cache)` hands this book's names, records and pages to the engine (scripts/proof) and gives
a Result. Nothing is written.
"""

import difflib
import functools
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import snippets
from scripts.core.cache import Cache
from scripts.core.faults import BadInput, Fault
from scripts.core.files import read_text
from scripts.core.freshness import Modules, files_digest, key
from scripts.exhibits import exhibit_files
from scripts.handbook import front, functions, generated, lab_source, live_checks, origins, style
from scripts.handbook import this_book as told
from scripts.proof import numbers
from scripts.proof.book import Book
from scripts.proof.check import PageCheck, check_page
from scripts.proof.judge import judge
from scripts.proof.namespace import names_of
from scripts.proof.page import Page
from scripts.proof.parse import parse_page
from scripts.proof.programs import codes_of
from scripts.records import record as records


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
    """What a check found: faults in the order in which they were found, and `files` that mend some."""

    faults: list[Fault] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    pages: dict[str, Page] = field(default_factory=dict)

    @property
    def broken(self) -> list[Fault]:
        """Those faults that need a person."""
        return [fault for fault in self.faults if fault.kind == "broken"]

    @property
    def sorted_faults(self) -> list[Fault]:
        """All faults in the order of their places."""
        return sorted(self.faults, key=lambda fault: (fault.path, fault.line))


def synchronize(
    root: Path, cache: Cache, *, wanted: Callable[[str], bool] = lambda path: True
) -> Result:
    """Check everything under `root`. `wanted` limits which files are judged."""
    result = Result()
    published = _read_records(root, cache, result)
    if result.faults:  # what depends on these records would only bury their faults
        return result
    try:
        entries = told.read_entries(root, cache)
        book = told.book(root, cache, published, entries)
        rules = style.read_rules(root)
    except BadInput as error:
        result.faults.append(error.fault)
        return result
    result.counts.examples, faults = functions.check_examples(cache)
    result.faults += faults
    made = _render(book, result)
    sources = _page_sources(root, result)
    chapters = [path for path in sources if path.startswith(front.CHAPTERS)]
    for path, source in sources.items():
        result.pages[path] = lab_source.parse_source(path, source.text)
        if not lab_source.is_lab(path):
            result.faults += front.check_front(path, source.text, chapters)
    tables: dict[str, PageCheck] = {}
    for path, data in made.items():
        if path.endswith(".md"):
            result.pages[path] = parse_page(path, data.decode())
            tables[path] = check_page(result.pages[path], book, run=False)
            _collect(tables[path], result, None)
    for page in result.pages.values():
        result.faults += style.check_style(page, rules)
    checked = {path: found.checked for path, found in tables.items()}
    codes = [c for path in filter(wanted, sources) for c in codes_of(result.pages[path], root)[0]]
    result.counts.run = sum(ran for _, ran in book.programs.outcomes(codes))  # all together
    for path, source in sources.items():
        found = check_whole(result.pages[path], book, tables, run=wanted(path))
        checked[path] = found.checked
        _collect(found, result, source)
    checked = {path: checked[path] for path in result.pages}  # as readers meet them
    made |= _check_labs(root, sources, result)
    made |= generated.works_cited(result.pages, entries)
    made |= generated.ledger_and_functions(result.pages, checked)
    result.counts.rendered = len(made)
    for path, data in made.items():
        if fault := generated.compare(root, path, data):
            result.faults.append(fault)
            result.files[path] = data
    _check_embeds(made, result)
    if all(map(wanted, sources)):
        printed = json.dumps(book.programs.entries, indent=1, sort_keys=True).encode() + b"\n"
        if generated.compare(root, told.PRINTED, printed):  # which is no fault, only slow
            result.files[told.PRINTED] = printed
    result.faults = [fault for fault in result.faults if wanted(fault.path)]
    result.files = {path: data for path, data in result.files.items() if wanted(path)}
    return result


def check_whole(
    page: Page, book: Book, tables: Mapping[str, PageCheck], *, run: bool = True
) -> PageCheck:
    """All that is wrong with a page, with the tables that it may embed.

    What readers see of a page that is as it was is not judged again. `run`: whether the page is wanted,
    with its programs and what readers see.
    """
    found = check_page(page, book, run=run)
    found.faults += live_checks.check_live(page, found.checked, _translations(book))
    if (
        not run or codes_of(page, book.root)[1]
    ):  # with a program that is not there, nothing is shown
        return found
    parts = [found, *(tables[name] for _, name in page.embeds if name in tables)]
    together = {
        f"{n} {label}": one for n, p in enumerate(parts) for label, one in p.checked.items()
    }
    values = [
        f"{one.definition.kind} {one.definition.expression} {one.dimension} {one.value is None}"
        for one in together.values()
    ]
    text = "\0".join([book.rendering, page.path, *(part.page.source for part in parts), *values])
    place = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    known = book.cache.get("judged", place)
    if known is None:
        seen = judge(page, book, together, {name: part.page for name, part in tables.items()})
        known = [[fault.path, fault.line, fault.message, fault.remedy] for fault in seen]
        book.cache.put("judged", place, known)
    found.faults += [Fault(*fault) for fault in known]
    return found


@functools.lru_cache(maxsize=1)
def _translations(book: Book) -> live_checks.Translations:
    return live_checks.Translations(book.root, book.cache)


def _read_records(root: Path, cache: Cache, result: Result) -> dict[str, records.Record]:
    try:
        names_of(snippets)  # names a module that cannot be imported, before what follows needs it
    except BadInput as error:
        result.faults.append(error.fault)
        return {}
    from scripts.experiments.plausibility import implausible

    code = Modules(root, cache).digest(records.__name__, "scripts.experiments.plausibility")
    found = {}
    for name, path in records.record_paths(root).items():
        try:
            stamp = key(code=code, file=files_digest(root, [path.relative_to(root)]))
            sound = bool(cache.get("records", stamp))
            record = records.read_record(path, known=sound)
            if record.key != name:
                message, remedy = (
                    f"holds the record of {record.key}",
                    f"move it to {record.key}.json",
                )
                raise BadInput(path, 0, message, remedy)
            found[name] = record
            if not sound:
                objections = implausible(record)
                result.faults += objections
                if not objections:
                    cache.put("records", stamp, True)
        except BadInput as error:
            fault = error.fault
            place = path.relative_to(root).as_posix()
            result.faults.append(Fault(place, fault.line, fault.message, fault.remedy))
    result.counts.records = len(found)
    return found


def _render(book: Book, result: Result) -> dict[str, bytes]:
    """The rendered tables and figures; those known to be as they were are read, not drawn again."""

    def origin(of: tuple[str, str]) -> Mapping[str, Any]:
        return origins.origin(*of, book.evaluator)

    try:
        found = exhibit_files.render(book.root, book.cache, book.evaluator, origin)
    except BadInput as error:
        result.faults.append(error.fault)
        return {}
    keys = found.pop(exhibit_files.KEYS)  # stale ones are no fault
    if generated.compare(book.root, f"docs/{exhibit_files.KEYS}", keys):
        result.files[f"docs/{exhibit_files.KEYS}"] = keys
    return {f"docs/{path}": data for path, data in found.items()}


def _page_sources(root: Path, result: Result) -> dict[str, told.Source]:
    sources = {}
    for path in told.page_paths(root):
        try:
            sources[path] = told.Source.of(read_text(root / path, name=path))
        except BadInput as error:
            result.faults.append(error.fault)
    return sources


def _check_labs(root: Path, sources: Mapping[str, told.Source], result: Result) -> dict[str, bytes]:
    """The notebooks of the labs, each of which fetches the project from where it is published."""
    made = {}
    for path, source in sources.items():
        if lab_source.is_lab(path):
            text = result.files[path].decode() if path in result.files else source.text
            fault, mended = lab_source.check_address(path, text, os.environ.get("REPO_URL", ""))
            if fault:
                result.faults.append(fault)
                result.files[path] = source.with_text(mended)
            made[lab_source.notebook_path(path)] = lab_source.notebook(
                mended, lab_source.read_notebook(path, root)
            )
    return made


def _collect(found: PageCheck, result: Result, source: told.Source | None) -> None:
    page, counts = found.page, result.counts
    result.faults += found.faults
    if found.edits:
        mended = numbers.apply_edits(page.source, found.edits)
        if lab_source.is_lab(page.path) and source:
            mended = lab_source.with_markdown(source.text, mended)
        result.files[page.path] = source.with_text(mended) if source else mended.encode()
    counts.pages += 1
    counts.numbers += len(page.references)
    counts.formulas += len(page.formulas)
    counts.fences += len(page.printed)
    counts.printed += sum(printed.output is not None for printed in page.printed)


def _check_embeds(made: Mapping[str, bytes], result: Result) -> None:
    """Only what is generated may be embedded: nothing else has had its numbers checked."""
    for page in result.pages.values():
        for line, name in page.embeds:
            if name not in made and not name.startswith("docs/tables/local/"):
                close = difflib.get_close_matches(name, [n for n in made if n.endswith(".md")], n=2)
                remedy = (
                    f"did you mean {' or '.join(close)}?" if close else "embed one of docs/tables/"
                )
                message = f"{name} is no table that the build makes"
                result.faults.append(Fault(page.path, line, message, remedy))
