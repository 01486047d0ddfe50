"""Labs: run once, run again for a reason, and a failure that says where."""

import json
import sys
from pathlib import Path

import nbformat
import pytest

from scripts.core.faults import BadInput
from scripts.handbook.lab_source import notebook, read_notebook
from scripts.site import lab_runs
from scripts.site.notebooks import as_page, links

ROOT = Path(__file__).parents[2]
PATH = "docs/labs/a.py"
LAB = """# %% [markdown]
# # A lab
#
# It moves [3,350 GB/s][h100].
#
# [h100]: #cite "h100_sxm.memory_bandwidth"

# %%
from pathlib import Path

with Path("runs.txt").open("a") as file:
    file.write("run\\n")
print("a < b")

# %%

number = 3

number
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one lab."""
    (tmp_path / "docs/labs").mkdir(parents=True)
    (tmp_path / "snippets").mkdir()
    (tmp_path / PATH).write_text(LAB)
    return tmp_path


def gave(root: Path) -> str:
    """The page of the lab, once it has been run where that is needed."""
    for path in lab_runs.stale(root):
        lab_runs.run(path, root)
    return as_page("a", (root / PATH).read_text(), read_notebook(PATH, root)).markdown


def runs(root: Path) -> int:
    return len((root / "runs.txt").read_text().splitlines())


def test_a_lab_is_run_once_and_its_notebook_keeps_what_it_gave(root: Path) -> None:
    first = gave(root)
    assert '<pre class="output"><code>a &lt; b</code></pre>' in first
    assert '<pre class="output"><code>3</code></pre>' in first
    held = (root / PATH).with_suffix(".ipynb").read_bytes()
    nbformat.validate(nbformat.reads(held.decode(), as_version=4))
    assert gave(root) == first
    (root / PATH).write_text(
        LAB.replace("It moves", "It still moves").replace("number = 3", "number = 3  # so")
    )
    assert "It still moves" in gave_again(root)
    assert runs(root) == 1
    (root / PATH).write_text(LAB.replace("number = 3", "number = 4"))
    assert '<pre class="output"><code>4</code></pre>' in gave(root)
    assert runs(root) == 2


def gave_again(root: Path) -> str:
    """The page after the sources have been brought in step, as the build does."""
    source = (root / PATH).read_text()
    held = notebook(source, read_notebook(PATH, root))
    (root / PATH).with_suffix(".ipynb").write_bytes(held)
    return gave(root)


def test_the_key_covers_what_a_lab_says_and_reads_and_nothing_else(root: Path) -> None:
    def changed(path: str, text: str) -> bool:
        before = lab_runs.key(PATH, root)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return lab_runs.key(PATH, root) != before

    changed("snippets/used.py", '"""One."""\nimport scripts.more\n')
    changed("scripts/more.py", "a = 1\n")
    assert changed(PATH, LAB + "\nimport snippets.used\n")
    assert not changed("snippets/used.py", '"""Words."""\nimport scripts.more  # more words\n')
    assert changed("scripts/more.py", "a = 2\n")
    assert changed("docs/data/records/a-card/bandwidth.json", "{}")
    assert changed("docs/data/embedded/config.json", "{}")
    assert not changed("scripts/other.py", "a = 1\n")
    assert not changed("docs/data/records/local/bandwidth.json", "{}")
    assert not changed("docs/index.md", "# Home\n")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "number = 3\n1 / 0",
            "docs/labs/a.py:18: code cell 2 fails: ZeroDivisionError: division by zero\n    remedy: "
            "correct the cell or what it calls; to run the lab alone: python docs/labs/a.py",
        ),
        ("import os; os._exit(3)", "docs/labs/a.py: its kernel ended while it ran: "),
    ],
)
def test_a_cell_that_fails_stops_the_build_and_says_where(root: Path, code: str, said: str) -> None:
    (root / PATH).write_text(LAB.replace("number = 3", code))
    with pytest.raises(BadInput) as caught:
        lab_runs.run(PATH, root)
    assert str(caught.value).startswith(said)


def test_without_what_runs_it_a_lab_is_shown_as_published(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nbclient", None)
    assert lab_runs.run(PATH, root).startswith("not run, since nbclient is not there: ")
    assert not (root / "docs/labs/a.ipynb").exists()


def test_a_figure_is_a_file_with_words() -> None:
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"><path/></svg>'
    said = {"alt": "A line", "title": "Line", "rows": [{"x": 1}]}
    output = {"output_type": "display_data", "data": {"image/svg+xml": drawing}}
    cells = [
        {"cell_type": "markdown", "source": "# A lab"},
        {"cell_type": "code", "source": "f()", "outputs": [output]},
    ]
    output["metadata"] = {"image/svg+xml": said}
    made = as_page("a", LAB, {"cells": cells})
    assert made.parts[-1].startswith("![A line](a-1.svg){ ")
    assert {'width="96"', 'height="48"'} <= set(made.parts[-1].split())
    assert made.figures["a-1.csv"] == b"x\n1\n"
    assert json.loads(made.figures["a-1.json"]) == {"title": "Line", "rows": [{"x": 1}]}
    del said["rows"]
    with pytest.raises(ValueError, match="a drawing without words, title and data"):
        as_page("a", LAB, {"cells": cells})


def test_the_published_outputs_are_what_the_labs_give() -> None:
    assert lab_runs.stale(ROOT) == [], "run: make measure, which runs the labs again"


def test_tables_and_texts_that_code_shows_become_markdown_and_errors_output_is_left_out() -> None:
    outputs = [
        {"output_type": "stream", "name": "stderr", "text": "a warning\n"},
        {"output_type": "stream", "name": "stdout", "text": "one\n"},
        {"output_type": "stream", "name": "stdout", "text": "two\n"},
        {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": "| a |"}},
    ]
    cell = {"cell_type": "code", "source": "f()", "outputs": outputs}
    title = {"cell_type": "markdown", "source": "# A lab"}
    parts = as_page("a", LAB, {"cells": [title, cell]}).parts
    assert parts[1:] == [
        "````python\nf()\n````",
        '<pre class="output"><code>one\ntwo</code></pre>',
        "| a |",
    ]


@pytest.mark.parametrize(
    ("address", "colab"),
    [
        ("https://github.com/some-one/it.s", "github/some-one/it.s/blob/main/docs/labs/a.ipynb"),
        ("https://github.com/someone/it.git", "github/someone/it/blob/main/docs/labs/a.ipynb"),
        ("https://example.org/someone/it", ""),
        ("", ""),
    ],
)
def test_colab_is_offered_where_it_can_open_the_notebook(address: str, colab: str) -> None:
    written = links("a", f'REPOSITORY = "{address}"\n')
    assert written.startswith("[Download as a notebook](a.ipynb)")
    assert ("https://colab.research.google.com/" in written) == bool(colab)
    assert colab in written


def test_every_notebook_is_valid() -> None:
    for path in sorted((ROOT / "docs/labs").glob("*.ipynb")):
        nbformat.validate(nbformat.reads(path.read_text("utf-8"), as_version=4))
