"""Labs: run when what they depend on has changed; kept, with what they gave, in their notebooks.

`scripts/build.py` asks which are stale and has them run; scripts/site/page_sources.py asks for their pages. A
notebook says in its metadata what its outputs depend on, so a fresh clone runs none.
"""

import json
import os
from pathlib import Path

from scripts.core import freshness
from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.core.files import read_text, write_bytes
from scripts.core.freshness import Modules, files_digest
from scripts.handbook.lab_source import (
    LABS,
    MADE_FROM,
    cells,
    notebook,
    notebook_path,
    read_notebook,
)
from scripts.records import record as records
from scripts.site.notebooks import failure

READ = ("docs/data/embedded",)  # beside the published records
NOT_RUN = "not run, since {} is not there: its page shows what it gave before; make measure runs it"


def paths(root: Path) -> list[str]:
    """The labs, by their paths."""
    return [path.relative_to(root).as_posix() for path in sorted((root / LABS).glob("*.py"))]


def key(path: str, root: Path) -> str:
    """A digest of what a lab's code says, of all that it imports, and of the data that it reads."""
    code = [cell.code for cell in cells(read_text(root / path, name=path)) if not cell.markdown]
    said = Modules(root, Cache(root / ".cache")).program_digest("\n".join(code))
    published = sorted(records.record_paths(root).values())
    return freshness.key(code=said, data=files_digest(root, [*READ, *published]))


def stale(root: Path) -> list[str]:
    """The labs whose published outputs are not what they would give now, as far as keys tell."""
    held = {path: read_notebook(path, root) for path in paths(root)}
    return [path for path in held if held[path]["metadata"].get(MADE_FROM) != key(path, root)]


def run(path: str, root: Path) -> str:
    """Run a lab and write its notebook; what was done, in words.

    Raises BadInput for a cell that fails, at its place.
    """
    try:
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, DeadKernelError
    except ImportError as error:
        return NOT_RUN.format(error.name)  # installed where things are measured
    source = read_text(root / path, name=path)
    made = nbformat.reads(notebook(source).decode(), as_version=4)
    client = NotebookClient(
        made,
        timeout=None,
        resources={"metadata": {"path": str(root)}},
        extra_arguments=["--log-level=ERROR"],  # it would warn that it listens on this machine
    )
    try:
        client.execute(env=os.environ | {"PYTHONPATH": str(root)})
    except (CellExecutionError, DeadKernelError) as error:
        fault = failure(path, source, error)
        raise BadInput(fault.path, fault.line, fault.message, fault.remedy) from None
    made.metadata[MADE_FROM] = key(path, root)
    file = notebook_path(path)
    write_bytes(root / file, notebook(source, json.loads(nbformat.writes(made))), name=file)
    return f"wrote {file}"
