"""Scripts of the site lose blanks and comments, and not one character of a text."""

from pathlib import Path

import pytest

from scripts.site.minified import minified, nested_literals
from tests.browser.visits import ROOT
from tests.javascript.engine import run

OURS = [*sorted((ROOT / "docs/assets/js").glob("*.js")), ROOT / "scripts/javascript/runtime.js"]
PROGRAM = """
// A comment with a ` backtick.
const name = "a `b` c", rate = (x) => `${x} at most`;
const each = (x) => `${[x].map((y) => `${y} {z}`).join(", ")}`;
const said = `It fits: ${name}${rate ? `, and generates ${rate(209)} tokens/s, ${each(1)}` : ""}.`;
const object = { a: { b: `one ${ `two  ${name}  three` } four` } };
console.log(said, object.a.b, `plain  ${name}`);
"""


def test_literals_in_literals_say_what_they_said() -> None:
    assert len(nested_literals(PROGRAM)) == 3
    assert len(minified(PROGRAM)) < len(PROGRAM)
    assert "comment" not in minified(PROGRAM)
    assert run(minified(PROGRAM)) == run(PROGRAM)


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_no_script_of_ours_loses_a_text(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    shorter = minified(source)
    kept = [source[start:end] for start, end in nested_literals(source)]
    assert all(text in shorter for text in kept)
    assert source.count("`") - shorter.count("`") == sum(
        line.count("`")
        for line in source.splitlines()
        if line.lstrip().startswith(("//", "/*", "*"))
    )
