"""The summary of changed numbers that a reviewer reads."""

import subprocess
import sys
from pathlib import Path

from scripts.changes import changes

ROOT = Path(__file__).parents[1]

OLD = """# A page

It moves [3,350 GB/s][a], which gives [209 tokens/s][b] and again [209 tokens/s][b].

[a]: #cite "h100_sxm.memory_bandwidth"
[b]: #calc "decode_ceiling(h100_sxm.memory_bandwidth, 16e9)"
"""
NEW = OLD.replace("3,350 GB/s", "3,900 GB/s").replace("209 tokens/s", "244 tokens/s")


def summary(old: str | None, new: str | None) -> str:
    return changes(["docs/a.md"], old=lambda path: old, new=lambda path: new)


def test_old_and_new_stand_side_by_side() -> None:
    assert summary(OLD, NEW).splitlines() == [
        "### `docs/a.md`",
        "",
        "| old | new | from |",
        "| --- | --- | --- |",
        '| 3,350 GB/s | 3,900 GB/s | `cite "h100_sxm.memory_bandwidth"` |',
        "| 209 tokens/s | 244 tokens/s | "
        '`calc "decode_ceiling(h100_sxm.memory_bandwidth, 16e9)"` |',
    ]


def test_what_has_only_moved_is_no_change() -> None:
    lines = OLD.splitlines()
    moved = "\n".join([*lines[:2], "More words come first.", "", *lines[2:]])
    assert summary(OLD, moved) == "No number changes.\n"


def test_pages_that_came_or_went() -> None:
    assert "| — | 209 tokens/s |" in summary(None, OLD)
    assert "| 3,350 GB/s | — |" in summary(OLD, None)
    assert summary(None, None) == "No number changes.\n"


def test_another_expression_for_the_same_number_is_shown() -> None:
    text = summary(OLD, OLD.replace("16e9)", "weight_bytes(8e9, 2))"))
    assert '| 209 tokens/s | — | `calc "decode_ceiling(h100_sxm.memory_bandwidth, 16e9)"`' in text
    assert "| — | 209 tokens/s | " in text


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/changes.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_refuses_what_is_no_commit() -> None:
    done = run("no-such-branch")
    assert done.returncode == 1
    assert "no-such-branch: no such commit\n    remedy: " in done.stderr
