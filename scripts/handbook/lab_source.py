"""Labs as pages: notebooks in percent format (`# %%`), whose Markdown cells are checked as chapters are.

The Markdown of a lab keeps the lines of its file, with nothing in those of code, so that every fault
has its true place. The notebook beside a lab is made from it, for whoever opens it elsewhere.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.core.faults import BadInput, Fault, stale
from scripts.proof.page import Fence, Page
from scripts.proof.parse import parse_page

LABS = "docs/labs"
MADE_FROM = "made_from"  # in a notebook's metadata: what its outputs depend on
MARKER = re.compile(r"^# %%(?P<kind> \[markdown\])?\s*$")
ADDRESS = re.compile(r'^REPOSITORY = "(.*)"', re.MULTILINE)
CLONED = re.compile(
    r"https://(?:github\.com(?:/[\w.-]+){2}|(?!github\.com/)[\w.:-]+(?:/[\w.~-]+)+)"
)
WITHIN = re.compile(
    r"/(?:tree|blob|commit|src|-)/"
)  # a place in a repository, on one host or another


@dataclass(frozen=True)
class Cell:
    """A cell. `line` is that of its marker; `text` all lines after it, as they stand in the file."""

    markdown: bool
    line: int
    text: tuple[str, ...]

    @property
    def code(self) -> str:
        """Its text without the empty lines around it."""
        return "\n".join(self.text).strip("\n")


def is_lab(path: str) -> bool:
    """Whether a page's path is that of a lab."""
    return path.startswith(f"{LABS}/") and path.endswith(".py")


def notebook_path(path: str) -> str:
    """Where the notebook of a lab lies."""
    return path.removesuffix(".py") + ".ipynb"


def read_notebook(path: str, root: Path) -> dict[str, Any]:
    """The notebook beside a lab; an empty one where there is none, or where it is no notebook."""
    try:
        held = json.loads((root / notebook_path(path)).read_text(encoding="utf-8"))
        return {"cells": list(held["cells"]), "metadata": dict(held["metadata"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {"cells": [], "metadata": {}}


def cells(source: str) -> list[Cell]:
    """The cells of a lab; what comes before the first marker is none."""
    lines = source.split("\n")
    starts = [index for index, line in enumerate(lines) if MARKER.match(line)]
    return [
        Cell("[markdown]" in lines[start], start + 1, tuple(lines[start + 1 : end]))
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def markdown_of(source: str) -> str:
    """A lab's Markdown, on the lines of its file."""
    lines = [""] * len(source.split("\n"))
    for cell in cells(source):
        if cell.markdown:
            for number, line in enumerate(cell.text, cell.line):
                lines[number] = _uncommented(line)
    return "\n".join(lines)


def with_markdown(source: str, markdown: str) -> str:
    """A lab with other Markdown on the same lines: what `markdown_of` undoes."""
    before = markdown_of(source).split("\n")
    return "\n".join(
        line if old == new else f"# {new}".rstrip()
        for line, old, new in zip(source.split("\n"), before, markdown.split("\n"), strict=True)
    )


def parse_source(path: str, source: str) -> Page:
    """Parse a page from its file: Markdown, or a lab's. Its code cells count as fences."""
    if not is_lab(path):
        return parse_page(path, source)
    page = parse_page(path, markdown_of(source))
    page.faults += _faults_of_form(path, source, page)
    page.printed = []
    for cell in cells(source):
        if not cell.markdown and cell.code:
            page.fences.append(Fence("python", cell.line, 0, 0, cell.code))
    return page


def check_address(path: str, source: str, address: str) -> tuple[Fault | None, str]:
    """(the fault, the source that mends it) where a lab's notebook would fetch another project.

    Raises BadInput for an address that nobody could clone without an account, or at all.
    """
    if address and (WITHIN.search(address) or not CLONED.fullmatch(address)):
        raise BadInput(
            f"REPO_URL={address}",
            0,
            "not an address that git can clone",
            "give that of the repository alone, such as https://github.com/OWNER/NAME",
        )
    found = ADDRESS.search(source)
    if not address or not found or found[1] == address:
        return None, source
    line = source.count("\n", 0, found.start()) + 1
    message = f"REPOSITORY is {found[1]!r}, but REPO_URL is {address!r}"
    mended = source[: found.start(1)] + address + source[found.end(1) :]
    return stale(path, message, line), mended


def notebook(source: str, held: Mapping[str, Any] | None = None) -> bytes:
    """A lab as .ipynb, with the outputs and metadata of the notebook that is held; the same bytes always.

    Without one, or where that has other code cells, it has no outputs.
    """
    found = cells(source)
    outputs = [each["outputs"] for each in (held or {"cells": []})["cells"] if "outputs" in each]
    code = [cell for cell in found if not cell.markdown and cell.code]
    if len(outputs) != len(code):
        held, outputs = None, [[] for _ in code]
    remaining = iter(outputs)
    written: list[dict[str, Any]] = []
    for cell in found:
        text = (
            cell.code if not cell.markdown else "\n".join(map(_uncommented, cell.text)).strip("\n")
        )
        if not text:
            continue
        made: dict[str, Any] = {"id": f"cell-{len(written)}", "metadata": {}}
        made["source"] = text.splitlines(keepends=True)
        if cell.markdown:
            made["cell_type"] = "markdown"
        else:
            kept = [_kept(each) for each in next(remaining)]
            made |= {"cell_type": "code", "execution_count": None, "outputs": kept}
        written.append(made)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    if held and (made_from := held["metadata"].get(MADE_FROM)):
        metadata[MADE_FROM] = made_from
    whole = {"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


def _kept(output: dict[str, Any]) -> dict[str, Any]:
    """An output without what differs from run to run and is no result."""
    if output["output_type"] == "execute_result":
        return output | {"execution_count": None}
    return output


def _uncommented(line: str) -> str:
    return line.removeprefix("#").removeprefix(" ")


def _faults_of_form(path: str, source: str, page: Page) -> Iterator[Fault]:
    found = cells(source)
    if not found or found[0].line != 1 or not found[0].markdown:
        yield Fault(path, 1, "a lab starts with its title", "start it with # %% [markdown]")
    for cell in found:
        for number, line in enumerate(cell.text, cell.line + 1):
            if cell.markdown and line and line != "#" and not line.startswith("# "):
                remedy = "start it with '# ', or put # %% before code"
                yield Fault(path, number, "a Markdown cell's line that is no comment", remedy)
            elif line.startswith("# %%"):
                remedy = "write # %% or # %% [markdown]"
                yield Fault(path, number, f"no such kind of cell: {line}", remedy)
    for printed in page.printed:
        remedy = "put it into a code cell"
        yield Fault(path, printed.code.line, "a lab's text holds code that would not run", remedy)
    for number, name in page.embeds:
        yield Fault(path, number, f"a notebook cannot embed {name}", "link to its page")
    for reference in page.references:
        definition = page.definitions[reference.label]
        if _cell_at(found, reference.line) != _cell_at(found, definition.line):
            message = (
                f"[{reference.label}] is defined in another cell: a notebook would not link it"
            )
            yield Fault(path, reference.line, message, "define it at the end of this cell")


def _cell_at(found: list[Cell], line: int) -> int:
    return max(cell.line for cell in found if cell.line <= line)
