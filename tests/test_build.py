"""The one command line: bad input of every kind gets one clear message and leaves files as they were."""

import argparse
import errno
import functools
import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts import build
from scripts.core import files
from scripts.core.faults import BadInput
from scripts.core.freshness import files_digest
from scripts.devices import device as devices
from scripts.proof.namespace import names_of

ROOT = Path(__file__).parents[1]
PAGE = "docs/chapters/03-bandwidth.md"
RECORDS = "docs/data/records/rtx-3060-transcribed"

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """The command line on a copy of the tree: its exit status and its faults. Pages are put back."""
    monkeypatch.setattr(build, "build", functools.partial(build.build, root=tree))
    kept = {path: path.read_bytes() for path in (tree / "docs").rglob("*.[mj][ds]*")}

    def command(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = build.main(arguments)
        return status, capsys.readouterr().err

    yield command
    for path, data in kept.items():
        if path.read_bytes() != data:
            path.write_bytes(data)


def sources(tree: Path) -> str:
    return files_digest(tree, ("docs/chapters", "docs/reference", "docs/tables/ledger.md"))


def spoil(tree: Path, path: str, old: str, new: str) -> None:
    text = (tree / path).read_text(encoding="utf-8")
    assert old in text
    (tree / path).write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_repository_is_in_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--check"]) == 0, capsys.readouterr().err


FAULTS = (  # what is added to a page, in which of its lines the fault is, and what is said of it
    ('```python\n--8<-- "snippets/nothing.py"\n```', 1, "no such snippet file"),
    ('```python\n--8<-- "snippets/bandwidth.py:nothing"\n```', 1, "has no section 'nothing'"),
    ('[1][z1]\n\n[z1]: #calc "nothing(1)"', 2, "nothing in snippets/ is called nothing"),
    ('[1][z2]\n\n[z2]: #calc "1 / 0"', 2, "divides by zero"),
    ('[none][z3]\n\n[z3]: #calc "1"', 0, "no number in 'none'"),
    ('[1][z4]\n\n[z4]: #cite "h101_sxm.memory"', 2, "is called h101_sxm"),
    ('[1][z5]\n\n[z5]: #record "rtx-3060-transcribed/bandwidth: no.field"', 2, "no.field"),
    ("```python\nraise ValueError('on purpose')\n```", 1, "ValueError: on purpose"),
    ("```python\nimport time\nprint(time.time_ns())\n```", 1, "prints differently each time"),
    ("It takes 17 bytes.", 0, "a numeral without provenance: 17"),
    ("$2 + 2 = 5$", 0, "this formula is not true"),
)


@pytest.mark.parametrize("added", [FAULTS[:2], FAULTS[2:]], ids=["not rendered", "rendered"])
def test_every_fault_of_a_page_is_named_and_nothing_is_written(
    tree: Path, run: Run, added: tuple[tuple[str, int, str], ...]
) -> None:
    expected = []
    with (tree / PAGE).open("r+", encoding="utf-8") as page:
        line = page.read().count("\n") + 2
        for text, offset, message in added:
            page.write(f"\n{text}\n")
            expected.append((f"{PAGE}:{line + offset}: ", message))
            line += text.count("\n") + 2
    before = sources(tree)
    status, said = run("--only", PAGE, "--no-site")  # would write, if nothing were broken
    assert status == 1
    faults = said.split("\n\n")
    for place, message in expected:
        assert place in said, message
        (fault,) = (each for each in faults if place in each and message in each)
        assert "remedy: " in fault
    assert sources(tree) == before


def test_records_that_cannot_be_used_are_named(tree: Path, run: Run) -> None:
    by_hand = f"{RECORDS}/bandwidth.json"
    others = sorted(path.relative_to(tree).as_posix() for path in (tree / RECORDS).glob("*.json"))
    old, comma, short = [name for name in others if name != by_hand][:3]
    version = '"schema_version": 1'
    spoil(tree, old, version, '"schema_version": 99')
    spoil(tree, comma, version, f"{version},,")
    spoil(tree, by_hand, "33", "34")
    text = (tree / short).read_text(encoding="utf-8")
    (tree / short).write_text(text[: len(text) // 2], encoding="utf-8")
    status, said = run("--check")
    assert status == 1
    for name, message in (
        (old, "schema version 99"),
        (comma, "not JSON"),
        (by_hand, "changed by hand"),
        (short, "cut short"),
    ):
        assert any(name in fault and message in fault for fault in said.split("\n\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [("\ndef broken(:\n", "SyntaxError"), ("\nraise RuntimeError('on purpose')\n", "on purpose")],
)
def test_a_module_that_cannot_be_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    package = f"broken{len(text)}"  # one that was never imported
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").touch()
    (tmp_path / package / "module.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match=rf"{package}/module\.py:2: cannot be imported") as refused:
        names_of(importlib.import_module(package))
    assert message in str(refused.value)


def test_a_page_that_is_not_utf8(tree: Path, run: Run) -> None:
    with (tree / PAGE).open("ab") as file:
        file.write(b"caf\xe9\n")
    line = (tree / PAGE).read_bytes().count(b"\n")
    status, said = run("--check")
    assert status == 1
    assert f"{PAGE}:{line}: not UTF-8" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nonsense"], "no experiment or page is called that"),
        (["--only", "bandwith"], "did you mean bandwidth"),
        (["--device", "tpu"], "tpu"),
        (["--device", "cuda:7", "--only", "bandwidth", "--no-site"], "cuda:7"),
    ],
)
def test_bad_arguments(tree: Path, run: Run, arguments: list[str], message: str) -> None:
    before = sources(tree)
    status, said = run(*arguments)
    assert status == 1
    assert message in said
    assert "remedy: " in said
    assert sources(tree) == before


def test_stale_numbers_are_named_and_rewritten_in_place(tree: Path, run: Run) -> None:
    right = (tree / PAGE).read_text(encoding="utf-8")
    spoil(tree, PAGE, "[209 tokens/s]", "[208 tokens/s]")
    status, said = run("--check", "--only", PAGE)
    assert status == 1
    assert "208 should be 209" in said
    assert run("--only", PAGE, "--no-site")[0] == 0
    assert (tree / PAGE).read_text(encoding="utf-8") == right


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.md"
    file.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left on device"):
        files.write_text(file, "new")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_build_that_is_interrupted_while_it_writes_recovers(
    tree: Path, run: Run, ending: signal.Signals
) -> None:
    """The signal comes when a new page lies beside the old one, and has not taken its place."""
    right = (tree / PAGE).read_text(encoding="utf-8")
    spoil(tree, PAGE, "[209 tokens/s]", "[208 tokens/s]")
    wrong = (tree / PAGE).read_text(encoding="utf-8")
    program = (
        "import os, signal, sys; from scripts import build\n"
        # Whoever runs the tests in the background may have had it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"os.fsync = lambda _: os.kill(os.getpid(), {int(ending)})\n"
        f"sys.exit(build.main(['--only', {PAGE!r}, '--no-site']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == {signal.SIGINT: 130, signal.SIGKILL: -signal.SIGKILL}[ending]
    assert ("nothing is half-written" in done.stderr) == (ending == signal.SIGINT)
    assert (tree / PAGE).read_text(encoding="utf-8") == wrong
    unfinished = list((tree / "docs").rglob(f"*{files.UNFINISHED}"))
    assert bool(unfinished) == (ending == signal.SIGKILL)
    assert run("--only", PAGE, "--no-site")[0] == 0
    assert (tree / PAGE).read_text(encoding="utf-8") == right
    assert not list((tree / "docs").rglob(f"*{files.UNFINISHED}"))


@pytest.mark.parametrize(
    "error",
    [
        KeyError("seconds"),
        AssertionError("off by 0.23 deviations"),
        RuntimeError("CUDA error: an illegal memory access was encountered"),
        BadInput("experiment bandwidth", 0, "wrong result", "check the card"),
    ],
)
def test_an_experiment_that_fails_is_reported_and_the_others_go_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    def measured(name: str, **_: object) -> tuple[None, str]:
        if name == "bandwidth":
            raise error
        return None, "measured"

    monkeypatch.setattr(build.measure, "measure", measured)
    arguments = argparse.Namespace(preset="quick", force=False)
    failed = build._measure(arguments, tmp_path, devices.cpu(), ["bandwidth", "staircase"])
    assert f"measured on {devices.cpu().slug}" in capsys.readouterr().out
    (fault,) = failed
    assert fault.remedy
    if isinstance(error, BadInput):
        assert fault == error.fault
    else:
        assert fault.path == __file__, "it names the line that failed"
        assert f"bandwidth: {type(error).__name__}" in fault.message


def test_what_failed_ends_the_build_with_one_after_the_pages(
    tree: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(name: str, **_: object) -> None:
        raise KeyError("seconds")

    monkeypatch.setattr(build.measure, "measure", measured)
    spoil(tree, PAGE, "[209 tokens/s]", "[208 tokens/s]")
    status, said = run("--measure", "--device", "cpu", "--only", "staircase", "--no-site")
    assert status == 1
    assert "staircase: KeyError: 'seconds'" in said
    assert "209 tokens/s" in (tree / PAGE).read_text(encoding="utf-8"), "the pages were written"


def test_an_experiment_that_does_not_fit_lets_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured(name: str, **_: object) -> tuple[None, str]:
        if name == "bandwidth":
            raise MemoryError("cannot hold two buffers")
        return None, "measured"

    monkeypatch.setattr(build.measure, "measure", measured)
    arguments = argparse.Namespace(preset="quick", force=False)
    assert not build._measure(arguments, tmp_path, devices.cpu(), ["bandwidth", "staircase"])
    said = capsys.readouterr().out
    assert "not run: out of memory: cannot hold two buffers" in said
    assert f"measured on {devices.cpu().slug}" in said


def test_the_list_names_experiments_and_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--list"]) == 0
    shown = capsys.readouterr().out
    assert "bandwidth" in shown
    assert "03-bandwidth" in shown
