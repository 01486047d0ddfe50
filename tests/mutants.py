"""Mutants: change one thing that readers rely on, and see whether the check notices.

Kinds: digits, units, signs and words of scale at proven numbers, number words, digits, units and
operators of formulas, printed outputs; names and comparisons in sentences; values of records; constants
and operators of snippets. `python tests/mutants.py --all` tries every one, says the rate by kind and
lists the survivors; the ordinary tests try a sample. Names and comparisons live where nothing claims them.
"""

import argparse
import ast
import contextlib
import io
import json
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.core.faults import BadInput  # noqa: E402
from scripts.handbook import lab_source  # noqa: E402
from scripts.proof.formulas import WORDS  # noqa: E402
from scripts.proof.grounds import NAMED_TEXT, SUBSCRIPT  # noqa: E402
from scripts.proof.parse import parse_page  # noqa: E402
from scripts.proof.written import NotWritten, parse_written  # noqa: E402
from scripts.records.record import read_record  # noqa: E402

COPIED = (
    *("docs", "snippets", "scripts", "third_party", "pyproject.toml", "mkdocs.yml"),
    *("tests/__init__.py", "tests/models"),
    *(".cache/printed.json", ".cache/formulas.json"),
)
READER = "snippets/models/"
SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}


UNIT_SWAPS = {"GB": "TB", "GB/s": "GB", "GiB": "GB", "TFLOP/s": "GFLOP/s", "ms": "s", "MB": "GB"}
UNIT_SWAPS |= {"s": "ms", "B": "s", "B/s": "B", "tokens/s": "tokens/ms", "%": " ms", "bit": "B"}
TEX_SWAPS = {r"\cdot": "+", r"\times": "+", "-": "+", "+": "-", "<": ">", ">": "<", "/": r"\cdot"}
NUMBER_WORDS = {"sixteen": "fifteen", "thirty-two": "thirty-three", "twelve": "ten", "four": "five"}
NUMBER_WORDS |= {"Sixteen": "Seventeen", "sixty-four": "sixty", "twenty": "thirty", "two": "three"}
NAME_SWAPS = {"FP16": "FP8", "H100": "A100", "FP32": "FP16", "INT4": "INT8", "BF16": "FP8"}
COMPARISONS = {
    "faster": "slower",
    "slower": "faster",
    "more than": "less than",
    "at most": "at least",
}
COMPARISONS |= {
    "less than": "more than",
    "larger": "smaller",
    "below": "above",
    "twice": "three times",
}
CLAIMS = ("name", "comparison")  # kinds that are proven only where a definition makes the claim


@dataclass(frozen=True)
class Mutant:
    """One change: the characters [start, end) of a file become `text`."""

    kind: str
    path: str
    start: int
    end: int
    text: str

    def apply(self, source: str) -> str:
        """The file's source with the change."""
        return source[: self.start] + self.text + source[self.end :]

    def describe(self, source: str) -> str:
        """Where and what, for the list of survivors."""
        line = source.count("\n", 0, self.start) + 1
        whole = source.splitlines()[line - 1].strip()
        change = f"{source[self.start : self.end]!r} -> {self.text!r}"
        return f"{self.kind}: {self.path}:{line}: {change} in: {whole}"


def page_mutants(path: str, source: str) -> Iterator[Mutant]:
    """All that a reader sees of a page's numbers, each changed by itself."""
    page = lab_source.parse_source(path, source)
    spans = [("output", p.output.start, p.output.end) for p in page.printed if p.output]
    spans += [("number", *_written_span(r.start, r.text)) for r in page.references]
    text = page.source
    for kind, start, end in spans:
        yield from _digits(kind, path, text, range(start, end))
    for reference in page.references:
        if page.definitions[reference.label].kind == "cite" and not reference.text[0].isdigit():
            continue  # a work, or a place in it
        start, end = reference.start, reference.start + len(reference.text)
        closing = text.index("]", text.index("][", end) + 2) + 1
        yield Mutant("sign", path, start - 1, start - 1, "−")
        yield Mutant("scale", path, closing, closing, " thousand")
        yield from _swapped("unit", path, text, start, end, UNIT_SWAPS)
        yield from _swapped("word", path, text, start, end, NUMBER_WORDS)
    for formula in page.formulas:
        masked = formula.tex
        for pattern in (SUBSCRIPT, NAMED_TEXT):  # names, not numbers
            masked = pattern.sub(lambda match: " " * len(match[0]), masked)
        places = [formula.start + i for i, character in enumerate(masked) if character.isdigit()]
        yield from _digits("formula", path, text, places)
        end = formula.start + len(formula.tex)
        if "=" in formula.tex:
            for words in WORDS.finditer(formula.tex):
                first, last = (formula.start + offset for offset in words.span(1))
                yield from _swapped("formula unit", path, text, first, last, UNIT_SWAPS)
            yield from _swapped("formula operator", path, text, formula.start, end, TEX_SWAPS)
    covered = [range(start, end) for _, start, end in page.regions]
    for kind, swaps in (("name", NAME_SWAPS), ("comparison", COMPARISONS)):
        for mutant in _swapped(kind, path, text, 0, len(text), swaps):
            if not any(mutant.start in each for each in covered):
                yield mutant


def _swapped(
    kind: str, path: str, source: str, start: int, end: int, swaps: dict[str, str]
) -> Iterator[Mutant]:
    """Each word or sign of `swaps` between two offsets, exchanged."""
    words = sorted(map(re.escape, swaps), key=len, reverse=True)
    pattern = re.compile(rf"(?<![A-Za-z\\])(?:{'|'.join(words)})(?![A-Za-z])")
    for match in pattern.finditer(source, start, end):
        yield Mutant(kind, path, match.start(), match.end(), swaps[match[0]])


def record_mutants(path: str, source: str) -> Iterator[Mutant]:
    """The first digit or letter of every value of a record, changed."""
    for match in re.finditer(r'(?<=: )"[^"\n]+"|(?<=[\s\[:])-?\d[\d.e+-]*(?=[,\n\]}])', source):
        place = match.start() + (source[match.start()] in '"-')
        old = source[place]
        new = str((int(old) + 1) % 10) if old.isdigit() else "x" if old != "x" else "y"
        yield Mutant("record", path, place, place + 1, new)


def snippet_mutants(path: str, source: str) -> Iterator[Mutant]:
    """Every operator and every constant in the code of a snippet, changed."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        text = source[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(text.encode()[:column].decode())

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp):
            yield from _operator(path, source, node.op, [node.left, node.right], offset)
        elif isinstance(node, ast.BoolOp):
            yield from _operator(path, source, node.op, node.values[:2], offset)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for index, op in enumerate(node.ops):
                yield from _operator(path, source, op, sides[index : index + 2], offset)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and not isinstance(node.value, bool)
        ):
            start = offset(node.lineno, node.col_offset)
            end = offset(node.end_lineno or 0, node.end_col_offset or 0)
            yield Mutant("constant", path, start, end, f"({source[start:end]} * 2 + 1)")


def survivors_on_pages(mutants: Iterable[Mutant], root: Path = ROOT) -> list[str]:
    """Those page and record mutants that no check notices, described."""
    from scripts.core.cache import Cache
    from scripts.handbook import this_book as told
    from scripts.handbook.checking import check_whole
    from scripts.proof import bibliography
    from scripts.proof.check import check_page
    from scripts.records import record as records

    entries = bibliography.read_bibliography(root / told.BIBLIOGRAPHY)
    book = told.book(root, Cache(root / ".cache"), records.read_all(root), entries)
    tables = {
        path.relative_to(root).as_posix(): check_page(
            parse_page(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")),
            book,
            run=False,
        )
        for path in (root / "docs/tables").glob("*.md")
        if path.stem not in ("ledger", "functions", "bibliography")
        and not path.stem.endswith("-references")  # made from works cited, and not judged
    }
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        for mutant in mutants:
            file = (root / mutant.path).read_text(encoding="utf-8")
            source = lab_source.markdown_of(file) if lab_source.is_lab(mutant.path) else file
            changed = mutant.apply(source)
            if mutant.kind == "record":
                noticed = _record_is_refused(Path(folder) / "record.json", changed)
            else:
                if lab_source.is_lab(mutant.path):
                    changed = lab_source.with_markdown(file, changed)
                page = lab_source.parse_source(mutant.path, changed)
                noticed = bool(check_whole(page, book, tables).faults)
            if not noticed:
                survivors.append(mutant.describe(source))
    return survivors


def survivors_in_snippets(mutants: list[Mutant], workers: int = 2) -> list[str]:
    """Those snippet mutants that `build.py --check` accepts, described.

    Each is tried on a copy of the project by a process forked from one that has loaded the
    libraries, but nothing of ours yet.
    """
    with tempfile.TemporaryDirectory() as folder:
        roots = []
        for number in range(workers):
            root = Path(folder) / str(number)
            for name in COPIED:
                _copy(ROOT / name, root / name)
            roots.append(root)
        shares = [mutants[number::workers] for number in range(workers)]
        context = multiprocessing.get_context("spawn")
        with context.Pool(workers) as pool:
            results = pool.starmap(_try_all, zip(shares, roots, strict=True), chunksize=1)
        return [survivor for result in results for survivor in result]


def all_mutants(root: Path = ROOT) -> Iterator[Mutant]:
    """Every mutant of every kind."""
    from scripts.handbook import this_book as told

    for path in told.page_paths(root):
        yield from page_mutants(path, (root / path).read_text(encoding="utf-8"))
    for file in sorted((root / "docs/data/records").glob("*/*.json")):
        if file.parent.name != "local":
            path = file.relative_to(root).as_posix()
            yield from record_mutants(path, file.read_text(encoding="utf-8"))
    for file in sorted((root / "snippets").rglob("*.py")):
        path = file.relative_to(root).as_posix()
        yield from snippet_mutants(path, file.read_text(encoding="utf-8"))


def _written_span(start: int, text: str) -> tuple[int, int]:
    try:
        written = parse_written(text)
    except NotWritten:  # a citation: its year or its place
        return start, start + len(text)
    return start + written.start, start + written.end


def _digits(kind: str, path: str, source: str, places: Iterable[int]) -> Iterator[Mutant]:
    for place in places:
        if source[place].isdigit():
            yield Mutant(kind, path, place, place + 1, str((int(source[place]) + 1) % 10))


def _operator(
    path: str, source: str, op: ast.AST, sides: list[ast.expr], offset: Callable[[int, int], int]
) -> Iterator[Mutant]:
    if type(op) not in SWAPS:
        return
    old, new = SWAPS[type(op)]
    left, right = sides
    start = offset(left.end_lineno or 0, left.end_col_offset or 0)
    end = offset(right.lineno, right.col_offset)
    place = source.find(old, start, end)
    if place >= 0:
        yield Mutant("operator", path, place, place + len(old), new)


def _record_is_refused(path: Path, source: str) -> bool:
    path.write_text(source, encoding="utf-8")
    try:
        read_record(path)
    except BadInput:
        return True
    return False


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "local"))
    elif source.is_file():
        shutil.copy2(source, target)


def _try_all(mutants: list[Mutant], root: Path) -> list[str]:
    for name in [n for n in sys.modules if n.split(".")[0] in ("scripts", "snippets")]:
        del sys.modules[name]
    sys.path[:] = [str(root), *[p for p in sys.path if Path(p).resolve() != ROOT]]
    import bibtexparser  # noqa: F401
    import jsonschema  # noqa: F401
    import matplotlib.figure  # noqa: F401
    import numpy as np  # noqa: F401
    import rich.table  # noqa: F401

    survivors = []
    for mutant in mutants:
        file = root / mutant.path
        source = file.read_text(encoding="utf-8")
        file.write_text(mutant.apply(source), encoding="utf-8")
        try:
            if _check_in_a_fork(root) == 0 and not _tests_notice(mutant, root):
                survivors.append(mutant.describe(source))
        finally:
            file.write_text(source, encoding="utf-8")
    return survivors


def _tests_notice(mutant: Mutant, root: Path) -> bool:
    """Whether tests fail: those of the reader of configurations, which has no worked examples."""
    if not mutant.path.startswith(READER):
        return False
    alone = ["-o", "addopts=-m 'not thorough'", "--noconftest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-x", "-q", *alone]
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, "tests/models"], cwd=root, env=environment, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):  # 1: some test failed
        raise RuntimeError(
            f"the tests of {READER} cannot be run: {(done.stdout + done.stderr)[-2000:]}"
        )
    return done.returncode == 1


def _check_in_a_fork(root: Path) -> int:
    process = os.fork()
    if process == 0:
        status = 1
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                sys.dont_write_bytecode = True
                status = 1 if _is_noticed_early(root) else _full_check()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _is_noticed_early(root: Path) -> bool:
    """Whether parts of the check that are quick by themselves notice: most mutants end here."""
    import snippets
    from scripts import exhibits
    from scripts.handbook import functions
    from scripts.proof.evaluate import Evaluator
    from scripts.proof.namespace import names_of
    from scripts.records.record import read_all

    if functions.check_examples()[1]:
        return True
    made = exhibits.tables(Evaluator(names_of(snippets), read_all(root), {}), lambda origin: {})
    tables = ((path, data) for path, data in made.items() if path.endswith(".md"))
    return any((root / "docs" / path).read_bytes() != data for path, data in tables)


def _full_check() -> int:
    from scripts import build

    return build.main(["--check"])


def main() -> int:
    """Try mutants, print the kill rate of each kind and every survivor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every mutant, not a sample")
    parser.add_argument("--kind", action="append", help="only this kind")
    parser.add_argument("--sample", type=int, default=200, help="how many of each group")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    began = time.monotonic()
    found = [m for m in all_mutants() if not arguments.kind or m.kind in arguments.kind]
    groups = {
        "pages": [m for m in found if m.kind not in ("constant", "operator")],
        "snippets": [m for m in found if m.kind in ("constant", "operator")],
    }
    if not arguments.all:
        generator = random.Random(arguments.seed)
        groups = {
            name: generator.sample(group, min(arguments.sample, len(group)))
            for name, group in groups.items()
        }
    survivors = survivors_on_pages(groups["pages"]) + survivors_in_snippets(groups["snippets"])
    tried = Counter(mutant.kind for group in groups.values() for mutant in group)
    lived = Counter(survivor.partition(":")[0] for survivor in survivors)
    for kind, count in tried.items():
        print(f"{kind}: {count - lived[kind]} of {count} noticed, {1 - lived[kind] / count:.1%}")
    for survivor in survivors:
        print(f"survivor: {survivor}")
    print(json.dumps({"tried": sum(tried.values()), "survivors": len(survivors)}))
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if sum(lived.values()) > sum(lived[kind] for kind in CLAIMS) else 0


if __name__ == "__main__":
    sys.exit(main())
