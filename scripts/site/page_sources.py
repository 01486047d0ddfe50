"""What the site generator reads: docs/ as it stands, and beside it what Markdown alone cannot say.

`scripts/build.py` has it written to a folder before MkDocs or Zensical turn that into pages, and the
preview again after each edit: labs as pages, tables that offer their data, the data itself, the notes on
numbers, and the arithmetic that pages compute with, in JavaScript.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.core.files import read_text, write_bytes
from scripts.core.freshness import Modules, files_digest, key
from scripts.handbook.lab_source import read_notebook
from scripts.proof.parse import parse_page
from scripts.site.exhibits import opening
from scripts.site.lab_runs import paths
from scripts.site.notebooks import as_page
from scripts.site.page_tables import named_tables

WRITTEN = Path(".cache/written")
NOT_SHOWN = ("tables/", "data/embedded/")
NOT_READ = ".toml"  # what those who write and the check go by
PROGRAMS = {  # what writes files of the site, and what it reads beside its code and what that names
    "scripts.javascript.__main__": ("docs/figures/ruler.json", "docs/data/records"),
    "scripts.site.page_data": ("docs",),
}


def write_sources(root: Path, folder: Path, *, wait: bool = True) -> None:
    """Bring the generator's folder up to date; what has not changed is not written.

    Without `wait`, data and notes may be those of before, and are written meanwhile.
    """
    wanted = dict(sources(root, wait=wait))
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name, data in wanted.items():
        file = folder / name
        if not file.is_file() or file.read_bytes() != data:
            write_bytes(file, data, name=name)


def sources(root: Path, *, wait: bool = True) -> Iterator[tuple[str, bytes]]:
    """Each file by its path below the folder. Raises BadInput for what cannot be made."""
    docs = root / "docs"
    for path in sorted(docs.rglob("*")):
        name = path.relative_to(docs).as_posix()
        shown = not name.startswith(NOT_SHOWN) and path.suffix != NOT_READ
        if path.is_file() and shown and not path.name.startswith("."):
            if path.suffix == ".md":
                yield name, with_data_offered(name, read_text(path)).encode()
            elif not (name.startswith("labs/") and path.suffix == ".py"):
                yield name, path.read_bytes()
    for lab in paths(root):
        yield from _lab(lab, root)
    for program, reads in PROGRAMS.items():
        made = written_by(program, reads, root, wait=wait)
        for path in sorted(made.rglob("*")):
            if path.is_file():
                yield path.relative_to(made).as_posix(), path.read_bytes()


def _lab(path: str, root: Path) -> Iterator[tuple[str, bytes]]:
    name = Path(path).stem
    try:
        made = as_page(name, read_text(root / path), read_notebook(path, root))
    except ValueError as error:
        remedy = "show it with display(charts.picture(sheet, alt))"
        raise BadInput(path, 0, str(error), remedy) from None
    yield f"labs/{name}.md", made.markdown.encode()
    for figure, data in made.figures.items():
        yield f"labs/{figure}", data


def with_data_offered(name: str, markdown: str) -> str:
    """A page whose own tables offer their data, as those that it embeds do (scripts/site/exhibits.py)."""
    lines = markdown.splitlines()
    tables = named_tables(parse_page(name, markdown), Path(name).stem)
    for table, held in reversed(list(tables.items())):
        first, end = held.lines[0] - 1, held.lines[-1]
        lines[first:end] = ["", opening(table), "", *lines[first:end], "", "</div>", ""]
    return "\n".join(lines) + "\n"


def written_by(program: str, reads: Sequence[str], root: Path, *, wait: bool = True) -> Path:
    """The folder with what `python -m PROGRAM FOLDER` writes, kept under a key of all it is made of.

    In a process of its own, so that the preview sees edits of Python. Without `wait`, it may be what
    was written before. Raises BadInput in the program's words.
    """
    kept = root / WRITTEN / program
    code = Modules(root, Cache(root / ".cache")).digest(program)
    folder = kept / key(code=code, read=files_digest(root, reads))
    if folder.is_dir():
        return folder
    kept.mkdir(parents=True, exist_ok=True)
    older = list(kept.iterdir())
    if older and not wait:
        Thread(target=_write, args=(program, folder, root), daemon=True).start()
        return older[0]
    _write(program, folder, root)
    return folder


def _write(program: str, folder: Path, root: Path) -> None:
    """Write the folder, whole or not at all, in the place of what stands beside it."""
    older = list(folder.parent.iterdir())
    partial = Path(tempfile.mkdtemp(dir=root / ".cache"))
    done = subprocess.run(
        [sys.executable, "-m", program, str(partial)], cwd=root, capture_output=True, text=True
    )
    if done.returncode:
        shutil.rmtree(partial)
        raise BadInput(f"python -m {program}", 0, done.stderr.strip(), "correct what it names")
    partial.rename(folder)
    for path in older:
        shutil.rmtree(path, ignore_errors=True)
