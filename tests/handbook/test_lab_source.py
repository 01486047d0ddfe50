"""Labs as pages: the same lines as their files, the rules of chapters, and notebooks of the same cells."""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
import pytest

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.handbook import this_book as told
from scripts.handbook.checking import check_whole
from scripts.handbook.lab_source import (
    LABS,
    cells,
    check_address,
    markdown_of,
    notebook,
    notebook_path,
    parse_source,
    read_notebook,
    with_markdown,
)
from scripts.proof.check import PageCheck
from scripts.proof.numbers import apply_edits

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / LABS).glob("*.py"))
NAMES = ["H100"]
LAB = """# %% [markdown]
# # A lab
#
# An H100 moves [3,350 GB/s][h100].
#
# [h100]: #cite "h100_sxm.memory_bandwidth"

# %%
REPOSITORY = ""  # where the project is published
print(17)

# %% [markdown]
# It says $4 \\cdot 3 = 12$.
"""


def faults(source: str) -> list[str]:
    return [f"{fault.line}: {fault.message}" for fault in checked(source).faults]


def checked(source: str) -> PageCheck:
    with tempfile.TemporaryDirectory() as folder:
        book = told.book(ROOT, Cache(Path(folder)), {}, {})
        return check_whole(parse_source("docs/labs/a.py", source), book, {})


def test_there_are_three() -> None:
    assert [path.stem for path in FILES] == ["measure", "quantize", "train"]


def test_the_markdown_keeps_the_lines_of_the_file() -> None:
    lines = markdown_of(LAB).split("\n")
    assert lines[1] == "# A lab"
    assert lines[3] == "An H100 moves [3,350 GB/s][h100]."
    assert lines[8] == lines[9] == ""
    assert lines[12] == "It says $4 \\cdot 3 = 12$."


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_cells_are_those_that_jupytext_reads(path: Path) -> None:
    source = path.read_text("utf-8")
    read = jupytext.reads(source, fmt="py:percent").cells
    markdown = markdown_of(source).split("\n")
    ours = [
        "\n".join(markdown[cell.line : cell.line + len(cell.text)]).strip("\n")
        if cell.markdown
        else cell.code
        for cell in cells(source)
    ]
    assert ours == [cell.source for cell in read]


def test_a_lab_in_order_has_no_fault_and_its_code_counts_as_a_fence() -> None:
    assert faults(LAB) == []
    page = parse_source("docs/labs/a.py", LAB)
    assert [(fence.language, fence.line) for fence in page.fences] == [("python", 8)]
    assert page.printed == []  # what runs it is mkdocs-jupyter, not the check of fences
    assert [reference.text for reference in page.references] == ["3,350 GB/s"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("# An H100", "# Its 80 GB: an H100", "4: a numeral without provenance: 80"),
        ("# An H100", "An H100", "4: a Markdown cell's line that is no comment"),
        ("# %%\n", "# %% code\n", "8: no such kind of cell: # %% code"),
        ("# %% [markdown]\n# # A", "#\n# # A", "1: a lab starts with its title"),
        ("3 = 12", "3 = 13", "13: this formula is not true: $4 \\cdot 3 = 13$"),
        (
            "# It says",
            "# ```python\n# print(1)\n# ```\n# It says",
            "13: a lab's text holds code that would not run",
        ),
        (
            "# It says",
            '# --8<-- "docs/tables/zero.md"\n# It says',
            "13: a notebook cannot embed docs/tables/zero.md",
        ),
        (
            "# It says",
            "# Again [3,350 GB/s][h100]; it says",
            "13: [h100] is defined in another cell: a notebook would not link it",
        ),
        (
            "[3,350 GB/s]",
            "[3,351 GB/s]",
            "4: 3,351 should be 3,350: h100_sxm.memory_bandwidth is 3.35e+12",
        ),
    ],
)
def test_what_is_wrong_has_its_line(old: str, new: str, fault: str) -> None:
    assert LAB.count(old) >= 1
    assert fault in faults(LAB.replace(old, new, 1))


def test_a_stale_number_is_rewritten_in_its_cell() -> None:
    stale = LAB.replace("3,350", "3,349")
    found = checked(stale)
    mended = apply_edits(found.page.source, found.edits)
    assert with_markdown(stale, mended) == LAB
    assert with_markdown(stale, found.page.source) == stale


def test_a_notebook_holds_the_cells_without_outputs_and_is_the_same_every_time() -> None:
    made = notebook(LAB)
    assert made == notebook(LAB)
    read = nbformat.reads(made.decode(), as_version=4)
    nbformat.validate(read)
    assert [cell.cell_type for cell in read.cells] == ["markdown", "code", "markdown"]
    assert read.cells[0].source.startswith("# A lab\n\nAn H100")
    assert read.cells[1].source.endswith("print(17)")
    assert read.cells[1].outputs == []
    assert read.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_lab_has_its_notebook(path: Path) -> None:
    inside = path.relative_to(ROOT).as_posix()
    held = read_notebook(inside, ROOT)
    published = (ROOT / notebook_path(inside)).read_bytes()
    assert published == notebook(path.read_text("utf-8"), held)


def test_a_notebook_fetches_the_project_from_where_it_is_published() -> None:
    address = "https://github.com/someone/sixteen-bytes"
    assert check_address("docs/labs/a.py", LAB, "") == (None, LAB)
    fault, mended = check_address("docs/labs/a.py", LAB, address)
    assert str(fault) == (
        f"docs/labs/a.py:9: REPOSITORY is '', but REPO_URL is {address!r}\n"
        "    remedy: run: python scripts/build.py --only docs/labs/a.py"
    )
    assert f'REPOSITORY = "{address}"  # where' in mended
    assert check_address("docs/labs/a.py", mended, address) == (None, mended)


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/o/r.git",
        "https://gitlab.com/group/sub/r",
        "https://git.example.org:8443/r",
    ],
)
def test_an_address_that_git_clones(address: str) -> None:
    fault, mended = check_address("docs/labs/a.py", LAB, address)
    assert fault
    assert f'REPOSITORY = "{address}"' in mended


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/o/r/tree/0123456789abcdef",
        "https://github.com/o/r/commit/0123456789abcdef",
        "https://github.com/o/r/",
        "https://github.com/o",
        "https://github.com/o/r?ref=main",
        "https://gitlab.com/o/r/-/tree/main",
        "https://gitea.com/o/r/src/branch/main",
        "git@github.com:o/r.git",
        "github.com/o/r",
        'https://example.org/r"; import os',
        "main",
    ],
)
def test_an_address_that_git_cannot_clone(address: str) -> None:
    with pytest.raises(BadInput, match="not an address that git can clone") as caught:
        check_address("docs/labs/a.py", LAB, address)
    assert caught.value.fault.path == f"REPO_URL={address}"
    assert "such as https://github.com/OWNER/NAME" in caught.value.fault.remedy


def first_code(path: Path) -> str:
    return next(cell.code for cell in cells(path.read_text("utf-8")) if not cell.markdown)


def test_each_lab_starts_by_fetching_the_project_where_it_is_not_at_hand(monkeypatch) -> None:
    (code,) = {first_code(path) for path in FILES}
    asked: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda words, check: asked.append(words))
    monkeypatch.setattr(sys, "path", ["here"])
    exec(code, {})
    assert asked == []
    assert sys.path == ["here"]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="set REPOSITORY to the address"):
        exec(code, {})
    exec(code.replace('REPOSITORY = ""', 'REPOSITORY = "https://example.org/it"'), {})
    assert asked == [["git", "clone", "--depth", "1", "https://example.org/it", "sixteen-bytes"]]
    assert sys.path == ["sixteen-bytes", "here"]
