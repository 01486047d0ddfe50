"""A run: finished samples outlive whatever ends it."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from scripts.core.faults import BadInput
from scripts.records import journal as module
from scripts.records.journal import Journal


def start(root: Path) -> Journal:
    return Journal(experiment="copying", device="test-card", fingerprint="ab" * 32, root=root)


def test_samples_are_taken_once_and_kept(tmp_path: Path) -> None:
    numbers = iter(range(100))
    with start(tmp_path) as run:
        assert run.samples("a", lambda: next(numbers), count=3) == [0, 1, 2]
        assert run.samples("a", lambda: next(numbers), count=3) == [0, 1, 2]
        assert run.once("kernel", lambda: "mv") == "mv"
    with start(tmp_path) as run:
        assert run.samples("a", lambda: next(numbers), count=5) == [0, 1, 2, 3, 4]
        assert run.once("kernel", lambda: "mm") == "mv"
        run.finish()
    assert not run.journal.exists()
    with start(tmp_path) as run:
        assert run.samples("a", lambda: next(numbers), count=1) == [5]


def test_the_journals_name_says_what_it_is_of(tmp_path: Path) -> None:
    journal = start(tmp_path).journal
    assert journal == tmp_path / ".cache/partial/copying-test-card-abababababababab.jsonl"


@pytest.mark.parametrize(
    "ending",
    [
        b'{"key": "a", "va',
        b'{"key": "a", "value": 2}',
        b"\x00\x00\x00\x00",
        b'{"key": "a"}\n{"key": "a", "value": 9}\n',
        b"\xff\n",
        b"3\n",
    ],
)
def test_a_line_that_was_not_finished_is_dropped(tmp_path: Path, ending: bytes) -> None:
    whole = b'{"key": "a", "value": 0}\n{"key": "a", "value": 1}\n'
    journal = start(tmp_path).journal
    journal.parent.mkdir(parents=True)
    journal.write_bytes(whole + ending)
    with start(tmp_path) as run:
        assert run.samples("a", lambda: 5, count=3) == [0, 1, 5]
    assert journal.read_bytes() == whole + b'{"key": "a", "value": 5}\n'


def test_kill_9_between_two_samples(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from scripts.records.journal import Journal

        taken = 0
        def take():
            global taken
            taken += 1
            if taken == int(sys.argv[2]):
                os.kill(os.getpid(), signal.SIGKILL)
            return taken

        with Journal(
            experiment="copying", device="test-card", fingerprint="ab" * 32, root=Path(sys.argv[1])
        ) as run:
            print(run.samples("a", take, count=10))
        """
    )

    def process(killed_at: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), str(killed_at)],
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=False,
        )

    assert process(5).returncode == -signal.SIGKILL
    assert process(3).returncode == -signal.SIGKILL
    assert process(99).stdout.strip() == "[1, 2, 3, 4, 1, 2, 1, 2, 3, 4]"


def test_an_exception_and_ctrl_c_keep_what_was_finished(tmp_path: Path) -> None:
    for stop in (KeyboardInterrupt, RuntimeError("out of memory")):
        values: Any = iter([1.5, stop])

        def take(values: Any = values) -> float:
            value = next(values)
            if not isinstance(value, float):
                raise value
            return value

        with pytest.raises((KeyboardInterrupt, RuntimeError)), start(tmp_path) as run:
            run.samples("a", take, count=20)
    assert start(tmp_path).samples("a", lambda: 0, count=2) == [1.5, 1.5]


def test_a_full_disk_is_said_and_finished_samples_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(tmp_path) as run:
        run.samples("a", lambda: 1, count=2)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, start(tmp_path) as run:
        patch.setattr(os, "fsync", full)
        with pytest.raises(BadInput, match="No space left on device") as caught:
            run.samples("a", lambda: 2, count=3)
    assert "finished samples are kept" in caught.value.fault.remedy
    assert start(tmp_path).samples("a", lambda: 3, count=2) == [1, 1]


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    shown = io.StringIO()
    shown.isatty = lambda: terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with start(tmp_path) as run:
        run.progress(total=4)
        run.samples("fp32/copy", lambda: 1, count=2, weight=2)
    if terminal:
        assert "copying on test-card" in shown.getvalue()
        assert "fp32/copy" in shown.getvalue()
    else:
        assert shown.getvalue() == ""


def test_each_sample_is_one_line_of_json(tmp_path: Path) -> None:
    with start(tmp_path) as run:
        run.samples("a", lambda: {"seconds": 0.5}, count=2)
    lines = run.journal.read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"key": "a", "value": {"seconds": 0.5}}] * 2


def test_at_least_twenty_samples_by_default(tmp_path: Path) -> None:
    with start(tmp_path) as run:
        assert len(run.samples("a", lambda: 1)) == module.FEWEST_SAMPLES == 20
