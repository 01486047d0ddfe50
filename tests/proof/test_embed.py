"""Embedding lines give what the site shows, or one clear fault."""

from pathlib import Path

import markdown
import pytest

from scripts.core.faults import BadInput
from scripts.proof.embed import resolve

FILE = """import math


# --8<-- [start:area]
def area(radius: float) -> float:
    return math.pi * radius**2


# --8<-- [end:area]
# --8<-- [start:open]
x = 1
# --8<-- [start:twice]
# --8<-- [end:twice]
# --8<-- [start:twice]
# --8<-- [end:twice]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "circle.py").write_text(FILE)
    return tmp_path


def test_a_section(root: Path) -> None:
    code = resolve('--8<-- "circle.py:area"\nprint(1)\n', root=root, path="p.md", line=7)
    assert code == "def area(radius: float) -> float:\n    return math.pi * radius**2\nprint(1)\n"


def test_the_site_shows_the_same(root: Path) -> None:
    fence = '--8<-- "circle.py:area"'
    html = markdown.markdown(
        f"```\n{fence}\n```",
        extensions=["pymdownx.superfences", "pymdownx.snippets"],
        extension_configs={"pymdownx.snippets": {"base_path": [str(root)], "check_paths": True}},
    )
    shown = html.partition("<code>")[2].partition("</code>")[0].strip().replace("&gt;", ">")
    assert shown == resolve(fence, root=root, path="p.md", line=1)


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ('--8<-- "squre.py"', "p.md:7", "no such snippet file: squre.py"),
        ('--8<-- "circle.py:aera"', "p.md:7", "circle.py has no section 'aera'"),
        ('--8<-- "circle.py:open"', "circle.py:10", "section 'open' never ends"),
        ('--8<-- "circle.py:twice"', "circle.py:14", "section 'twice' stands twice in this file"),
        ('--8<--"circle.py"', "p.md:7", "a line that embeds nothing"),
        ('--8<-- "circle.py" ', "p.md:7", "a line that embeds nothing"),
        ("--8<-- “circle.py”", "p.md:7", "a line that embeds nothing"),
    ],
)
def test_each_fault_names_its_place(root: Path, line: str, place: str, message: str) -> None:
    with pytest.raises(BadInput) as raised:
        resolve(line, root=root, path="p.md", line=7)
    fault = raised.value.fault
    assert f"{fault.path}:{fault.line}" == place
    assert message in fault.message
    assert fault.remedy
