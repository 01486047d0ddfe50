"""The one command line: bad input of every kind gets one clear message and leaves files as they were."""

import argparse
import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts import build
from scripts.core import files
from scripts.core.faults import BadInput
from scripts.core.freshness import files_digest
from scripts.devices import device as devices

ROOT = Path(__file__).parents[1]
PAGE = "docs/chapters/03-bandwidth.md"
RECORD = "docs/data/records/rtx-3060/bandwidth.json"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the project in which things can be broken."""
    for name in ("docs", "snippets", "scripts", "third_party"):
        ignored = shutil.ignore_patterns("local")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for name in ("pyproject.toml", "mkdocs.yml"):
        shutil.copy(ROOT / name, tmp_path / name)
    if (ROOT / ".cache/outputs.json").is_file():
        (tmp_path / ".cache").mkdir()
        for cached in (ROOT / ".cache").glob("*.json"):
            shutil.copy(cached, tmp_path / ".cache")
    return tmp_path


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/build.py", *arguments],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def sources(tree: Path) -> str:
    return files_digest(tree, ("docs", "snippets", "scripts"))


def append(tree: Path, path: str, text: str) -> None:
    with (tree / path).open("a", encoding="utf-8") as file:
        file.write(text)


def line_count(tree: Path, path: str) -> int:
    return (tree / path).read_text(encoding="utf-8").count("\n")


def test_the_repository_is_in_step() -> None:
    done = run(ROOT, "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ('\n```python\n--8<-- "snippets/nothing.py"\n```\n', 3, "no such snippet file"),
        (
            '\n```python\n--8<-- "snippets/bandwidth.py:nothing"\n```\n',
            3,
            "has no section 'nothing'",
        ),
        ('\n[1][zz]\n\n[zz]: #calc "nothing(1)"\n', 4, "nothing in snippets/ is called nothing"),
        ('\n[1][zz]\n\n[zz]: #calc "1 / 0"\n', 4, "divides by zero"),
        ('\n[one][zz]\n\n[zz]: #calc "1"\n', 2, "no number in 'one'"),
        ('\n[1][zz]\n\n[zz]: #cite "h101_sxm.memory"\n', 4, "is called h101_sxm"),
        ('\n[1][zz]\n\n[zz]: #record "rtx-3060/bandwidth: no.field"\n', 4, "no.field"),
        ("\n```python\nraise ValueError('on purpose')\n```\n", 3, "ValueError: on purpose"),
        (
            "\n```python\nimport time\nprint(time.time_ns())\n```\n",
            3,
            "prints differently each time",
        ),
        ("\nIt takes 17 bytes.\n", 2, "a numeral without provenance: 17"),
        ("\n$2 + 2 = 5$\n", 2, "this formula is not true"),
    ],
)
def test_a_fault_on_a_page(tree: Path, text: str, offset: int, message: str) -> None:
    line = line_count(tree, PAGE) + offset
    append(tree, PAGE, text)
    before = sources(tree)
    done = run(tree, "--only", PAGE, "--no-site")  # would write, if nothing were broken
    assert done.returncode == 1
    assert message in done.stderr
    assert f"{PAGE}:{line}: " in done.stderr
    assert "remedy: " in done.stderr
    assert sources(tree) == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"schema_version": 1', '"schema_version": 99', "schema version 99"),
        ('"schema_version": 1', '"schema_version": 1,,', "not JSON"),
        ("33", "34", "changed by hand"),
    ],
)
def test_a_record_that_cannot_be_used(tree: Path, old: str, new: str, message: str) -> None:
    text = (tree / RECORD).read_text(encoding="utf-8")
    (tree / RECORD).write_text(text.replace(old, new, 1), encoding="utf-8")
    done = run(tree, "--check")
    assert done.returncode == 1
    assert message in done.stderr
    assert RECORD in done.stderr


def test_a_truncated_record(tree: Path) -> None:
    text = (tree / RECORD).read_text(encoding="utf-8")
    (tree / RECORD).write_text(text[: len(text) // 2], encoding="utf-8")
    done = run(tree, "--check")
    assert done.returncode == 1
    assert "cut short" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [("\ndef broken(:\n", "SyntaxError"), ("\nraise RuntimeError('on purpose')\n", "on purpose")],
)
def test_a_snippet_that_cannot_be_imported(tree: Path, text: str, message: str) -> None:
    line = line_count(tree, "snippets/bandwidth.py") + 2
    append(tree, "snippets/bandwidth.py", text)
    done = run(tree, "--check")
    assert done.returncode == 1
    assert f"snippets/bandwidth.py:{line}: cannot be imported" in done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_page_that_is_not_utf8(tree: Path) -> None:
    with (tree / PAGE).open("ab") as file:
        file.write(b"caf\xe9\n")
    line = (tree / PAGE).read_bytes().count(b"\n")
    done = run(tree, "--check")
    assert done.returncode == 1
    assert f"{PAGE}:{line}: not UTF-8" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nonsense"], "no experiment or page is called that"),
        (["--only", "bandwith"], "did you mean bandwidth"),
        (["--device", "tpu"], "tpu"),
    ],
)
def test_bad_arguments(tree: Path, arguments: list[str], message: str) -> None:
    before = sources(tree)
    done = run(tree, *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert sources(tree) == before


def test_cuda_without_a_gpu(tree: Path) -> None:
    done = run(tree, "--device", "cuda:7", "--only", "bandwidth", "--no-site")
    assert done.returncode == 1
    assert "cuda:7" in done.stderr
    assert "remedy: " in done.stderr


def test_stale_outputs_and_numbers_are_rewritten_in_place(tree: Path) -> None:
    right = (tree / PAGE).read_text(encoding="utf-8")
    wrong = right.replace("209 tokens/s", "208 tokens/s")
    assert wrong != right
    (tree / PAGE).write_text(wrong, encoding="utf-8")
    done = run(tree, "--check")
    assert done.returncode == 1
    assert "208 should be 209" in done.stderr or "+" in done.stderr
    done = run(tree, "--only", PAGE, "--no-site")
    assert done.returncode == 0, done.stderr
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
def test_an_interrupted_build_recovers(tree: Path, ending: signal.Signals) -> None:
    right = (tree / PAGE).read_text(encoding="utf-8")
    (tree / PAGE).write_text(right.replace("209 tokens/s", "208 tokens/s"), encoding="utf-8")
    shutil.rmtree(tree / ".cache", ignore_errors=True)
    for delay in (0.2, 0.6, 1.2, 2.0):
        process = subprocess.Popen(
            [sys.executable, "scripts/build.py", "--only", PAGE, "--no-site"],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(delay)
        process.send_signal(ending)
        process.wait(timeout=200)  # one that was only starting may not have heard it, and goes on
        text = (tree / PAGE).read_text(encoding="utf-8")
        assert text in (right, right.replace("209 tokens/s", "208 tokens/s"))
    assert run(tree, "--only", PAGE, "--no-site").returncode == 0
    assert (tree / PAGE).read_text(encoding="utf-8") == right
    assert not list((tree / "docs").rglob(f"*{files.UNFINISHED}"))


def test_an_experiment_that_does_not_fit_lets_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(name: str, **_: object) -> tuple[None, str]:
        if name == "bandwidth":
            raise MemoryError("cannot hold two buffers")
        return None, "measured"

    monkeypatch.setattr(build.measure, "measure", measured)
    summary = build.Summary()
    arguments = argparse.Namespace(preset="quick", force=False)
    names = ["bandwidth", "staircase"]
    assert not build._measure(arguments, tmp_path, devices.cpu(), names, summary)
    assert [did for _, did, _ in summary.rows] == [
        "not run: out of memory: cannot hold two buffers",
        f"measured on {devices.cpu().slug}",
    ]


def test_the_list_names_experiments_and_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--list"]) == 0
    shown = capsys.readouterr().out
    assert "bandwidth" in shown
    assert "03-bandwidth" in shown
