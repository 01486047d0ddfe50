"""Fences are run, compared, mended and remembered; whatever a fence does, it costs only itself."""

from pathlib import Path

import pytest

from scripts.core.cache import Cache
from scripts.proof.numbers import apply_edits
from scripts.proof.parse import parse_page
from scripts.proof.programs import Code, Outcome, Programs, codes_of, compare, output_edit

ROOT = Path(__file__).parents[2]


def codes(source: str) -> list[Code]:
    page = parse_page("p.md", source)
    assert not page.faults
    found, faults = codes_of(page, ROOT)
    assert not faults
    return found


def fence(code: str, output: str | None = None) -> str:
    text = f"```python\n{code}\n```\n"
    return text if output is None else f"{text}\n```text\n{output}\n```\n"


def run(source: str, cache: Path, limit: float = 20) -> list[str]:
    found = codes(source)
    outcomes = Programs(ROOT, Cache(cache), time_limit=limit).outcomes(found)
    return [
        str(compare(code, outcome)[0]) for code, (outcome, _) in zip(found, outcomes, strict=True)
    ]


def test_what_is_printed_is_compared(tmp_path: Path) -> None:
    right, wrong, missing, silent = run(
        fence("print(209)", "209")
        + fence("print(209)", "208")
        + fence("print(1)")
        + fence("x = 1"),
        tmp_path,
    )
    assert right == silent == "None"
    assert "-208\n+209" in wrong
    assert "p.md:12" in wrong
    assert "build.py --only p.md" in wrong
    assert "+1" in missing


@pytest.mark.parametrize(
    ("code", "message", "line"),
    [
        ("x = 1\nraise TypeError('no')", "TypeError: no", 3),
        ("print(", "SyntaxError", 2),
        ("import sys\nsys.exit(3)", "SystemExit: 3", 3),
        ("import os\nos._exit(7)", "ended its process (status 7)", 2),
        ("while True: pass", "still running after 2 s", 2),
        ("import os\nprint(os.getpid())", "prints differently each time", 2),
        ("import subprocess\nsubprocess.run(['false'])", "starts no other", 3),
        ("import os\nos.system('echo c')", "starts no other", 3),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "no network", 3),
        ("open('/elsewhere/x', 'w')", "writes in its own folder", 2),
        ("import os\nos.remove('/elsewhere/x')", "writes in its own folder", 3),
        ("open('/root/.bashrc')", "reads only what the project holds", 2),
        ("print('x' * 10_000_000)", "File too large", 2),
        ("x = bytearray(9 * 2**30)", "MemoryError", 2),
        ("print('```')", "prints a fence", 1),
        ("print(hash('a'))", "prints differently each time", 2),
    ],
)
def test_a_fence_that_fails_costs_only_itself(
    tmp_path: Path, code: str, message: str, line: int
) -> None:
    failed, good = run(fence(code) + fence("print(2)", "2"), tmp_path, limit=2)
    assert message in failed
    assert f"p.md:{line}" in failed
    assert "remedy: " in failed
    assert good == "None"


def test_fences_do_not_see_one_another(tmp_path: Path) -> None:
    _, second = run(fence("x = 1") + fence("print(x)", "1"), tmp_path)
    assert "NameError" in second
    changed, third = run(
        fence("import math\nmath.pi = 3") + fence("import math\nprint(f'{math.pi:.2f}')", "3.14"),
        tmp_path,
    )
    assert changed == third == "None"


def test_what_is_written_to_the_descriptor_is_printed(tmp_path: Path) -> None:
    code = "import os\nprint('a')\nos.write(1, b'b\\n')\nopen('c', 'w').write('c')\nprint(open('c').read())"
    assert run(fence(code, "a\nb\nc"), tmp_path) == ["None"]


def test_a_section_may_be_annotated_with_names_of_its_module(tmp_path: Path) -> None:
    assert run(fence("def spacing(x: FloatFormat) -> Any:\n    return x"), tmp_path) == ["None"]


def test_what_did_not_change_is_not_run_again(tmp_path: Path) -> None:
    (code,) = codes(fence("print(1)", "1"))
    cache = Cache(tmp_path / "cache")
    first = Programs(ROOT, cache)
    assert [ran for _, ran in first.outcomes([code])] == [True]
    assert [ran for _, ran in first.outcomes([code])] == [False]
    cache.save()
    assert not Programs(ROOT, Cache(tmp_path / "cache")).outcomes([code])[0][1]
    published = Programs(ROOT, Cache(tmp_path), first.entries)
    assert published.outcomes([code]) == [(Outcome("1\n"), False)]
    (other,) = codes(fence("print(1)", "2"))  # what it printed is not published: run again
    assert Programs(ROOT, Cache(tmp_path), first.entries).outcomes([other]) == [
        (Outcome("1\n"), True)
    ]


@pytest.mark.parametrize(
    ("program", "changed"),
    [
        ("from snippets.one import x\nprint(x)", "snippets/one.py"),
        ("import snippets.two\nprint(snippets.two.y)", "snippets/one.py"),
        (
            "import importlib\nprint(importlib.import_module('snippets.' + 'one').x)",
            "snippets/one.py",
        ),
        (
            "import snippets as s\nprint(open(s.__path__[0] + '/data.txt').read())",
            "snippets/data.txt",
        ),
    ],
)
def test_what_a_program_reads_is_part_of_its_key(
    tmp_path: Path, program: str, changed: str
) -> None:
    snippets = tmp_path / "snippets"
    snippets.mkdir()
    for name, text in {
        "__init__": "",
        "one": "x = 1\n",
        "two": "from .one import x as y\n",
    }.items():
        (snippets / f"{name}.py").write_text(text)
    (snippets / "data.txt").write_text("1")
    (code,) = codes(fence(program, "1"))
    cache = Cache(tmp_path / "cache")
    for ran in (True, False):
        assert Programs(tmp_path, cache).outcomes([code]) == [(Outcome("1\n"), ran)]
    (tmp_path / changed).write_text("x = 2\n" if changed.endswith(".py") else "2")
    assert Programs(tmp_path, cache).outcomes([code]) == [(Outcome("2\n"), True)]


@pytest.mark.parametrize(
    ("source", "output", "mended"),
    [
        (fence("print(1)", "2") + "end", "1\n", fence("print(1)", "1") + "end"),
        (fence("print(1)") + "end", "1\n", fence("print(1)", "1") + "end"),
        (fence("x = 1", "2") + "end", "", fence("x = 1") + "end"),
    ],
)
def test_mending(source: str, output: str, mended: str) -> None:
    (code,) = codes(source)
    assert apply_edits(source, [output_edit(code, output)]) == mended
