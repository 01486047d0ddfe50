"""Labs in a small site of their own: run once, run again for a reason, and a failure that says where."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from scripts.proof.labs import notebook
from scripts.site.labs import key
from scripts.site.notebooks import as_page, links

ROOT = Path(__file__).parents[2]
CONFIG = f"""\
site_name: A site
plugins:
  - mkdocs-jupyter: {{include: ["labs/*.py"], execute: true, allow_errors: false, cache: false}}
hooks: [{ROOT / "scripts/site/labs.py"}]
markdown_extensions: [attr_list, scripts.site.provenance, scripts.site.exhibits]
"""
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
DRAWING = """
# %%
from IPython.display import SVG, display

drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"><path/></svg>'
display(SVG(drawing, metadata={"alt": "A line", "title": "Line", "rows": [{"x": 1}]}))
"""


class Site:
    """A site with one lab; `runs` counts how often it was run."""

    def __init__(self, root: Path, log: pytest.LogCaptureFixture) -> None:
        self.root = root
        self.log = log
        self.lab = root / "docs/labs/a.py"
        self.lab.parent.mkdir(parents=True)
        self.write(LAB)
        (root / "mkdocs.yml").write_text(CONFIG)
        (root / "docs/reference").mkdir()
        (root / "docs/reference/ledger.md").write_text("# Ledger\n")
        (root / "snippets").mkdir()

    def write(self, source: str) -> None:
        self.lab.write_text(source)
        self.lab.with_suffix(".ipynb").write_bytes(notebook(source))

    def build(self) -> str:
        build(load_config(str(self.root / "mkdocs.yml")))
        return (self.root / "site/labs/a/index.html").read_text("utf-8")

    def fails(self) -> str:
        """What a build says that cannot be."""
        with pytest.raises(Abort):
            self.build()
        return self.log.messages[-1]

    @property
    def runs(self) -> int:
        return len((self.root / "runs.txt").read_text().splitlines())


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Site:
    monkeypatch.chdir(tmp_path)
    return Site(tmp_path, caplog)


def test_a_lab_is_run_once_and_its_page_is_the_sites_own_markdown(site: Site) -> None:
    first = site.build()
    assert 'title="cited: h100_sxm.memory_bandwidth"' in first
    assert '<pre class="output"><code>a &lt; b</code></pre>' in first
    assert '<pre class="output"><code>3</code></pre>' in first
    assert 'href="../a.ipynb"' in first
    assert "colab" not in first
    assert "jp-Notebook" not in first  # nothing of mkdocs-jupyter's own page
    assert (site.root / "site/labs/a.ipynb").is_file()
    shutil.rmtree(site.root / "site")
    assert site.build() == first
    assert site.runs == 1


def test_a_changed_lab_is_run_again(site: Site) -> None:
    site.build()
    site.write(LAB.replace("number = 3", "number = 4"))
    assert '<pre class="output"><code>4</code></pre>' in site.build()
    assert site.runs == 2


def test_the_key_covers_what_a_lab_depends_on_and_nothing_else(site: Site) -> None:
    def changed(path: str, text: str) -> bool:
        before = key(site.lab, site.root)
        file = site.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return key(site.lab, site.root) != before

    changed("snippets/used.py", "import scripts.more\n")
    changed("scripts/more.py", "a = 1\n")
    assert changed("docs/labs/a.py", LAB + "\nimport snippets.used\n")
    assert changed("snippets/used.py", "import scripts.more\n\n")
    assert changed("scripts/more.py", "a = 2\n")
    assert changed("docs/data/records/a-card/bandwidth.json", "{}")
    assert changed("docs/data/embedded/config.json", "{}")
    assert not changed("scripts/other.py", "a = 1\n")
    assert not changed("docs/data/records/local/bandwidth.json", "{}")
    assert not changed("docs/index.md", "# Home\n")


def test_a_cell_that_fails_stops_the_build_and_says_where(site: Site) -> None:
    site.write(LAB.replace("number = 3", "number = 3\n1 / 0"))
    assert site.fails() == (
        "docs/labs/a.py:18: code cell 2 fails: ZeroDivisionError: division by zero\n"
        "    remedy: correct the cell or what it calls; to run the lab alone: python docs/labs/a.py"
    )


def test_a_kernel_that_ends_stops_the_build(site: Site) -> None:
    site.write(LAB.replace("number = 3", "import os; os._exit(3)"))
    assert site.fails().startswith("docs/labs/a.py: its kernel ended while it ran: ")


def test_a_figure_is_a_file_with_words(site: Site) -> None:
    site.write(LAB + DRAWING)
    page = site.build()
    assert '<img alt="A line"' in page
    (image,) = re.findall("<img[^>]*>", page)
    assert {'src="../a-1.svg"', 'width="96"', 'height="48"'} <= set(re.split(r'(?<=") ', image))
    made = site.root / "site/labs"
    assert b"<path" in (made / "a-1.svg").read_bytes()
    assert 'download="a-1.csv" href="../a-1.csv"' in page
    assert (made / "a-1.csv").read_text() == "x\n1\n"
    assert json.loads((made / "a-1.json").read_text()) == {"title": "Line", "rows": [{"x": 1}]}
    site.write(LAB + DRAWING.replace(', "rows": [{"x": 1}]', ""))
    assert site.fails().startswith("docs/labs/a.py: a drawing without words, title and data")


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
