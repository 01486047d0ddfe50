"""What the generator reads."""

from pathlib import Path

import pytest

from scripts.core.faults import BadInput
from scripts.site import page_sources
from scripts.site.page_sources import write_sources, written_by

ROOT = Path(__file__).parents[2]
PAGE = '# P\n\n| a | b |\n|---|---|\n| [1][x] | 2 |\n\n[x]: #calc "1"\n'


def test_only_what_changed_is_written_and_what_is_gone_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_sources, "PROGRAMS", {})
    docs, folder = tmp_path / "docs", tmp_path / "to"
    (docs / "tables").mkdir(parents=True)
    for name in ("a.md", "b.md", "rules.toml", "tables/t.md"):
        (docs / name).write_text("# T\n")
    (docs / "own.md").write_text(PAGE)
    write_sources(tmp_path, folder)
    assert sorted(path.name for path in folder.rglob("*.md")) == ["a.md", "b.md", "own.md"]
    assert '<div class="exhibit" data-table="own/p" markdown>' in (folder / "own.md").read_text()
    before = (folder / "b.md").stat().st_mtime_ns
    (docs / "a.md").unlink()
    write_sources(tmp_path, folder)
    assert sorted(path.name for path in folder.rglob("*")) == ["b.md", "own.md"]
    assert (folder / "b.md").stat().st_mtime_ns == before


def test_what_a_program_writes_is_written_once_for_the_same_sources(tmp_path: Path) -> None:
    program = tmp_path / "scripts" / "program.py"
    program.parent.mkdir()
    (program.parent / "__init__.py").touch()
    program.write_text("import sys, pathlib; pathlib.Path(sys.argv[1], 'made').write_text('x')\n")
    first = written_by("scripts.program", (), tmp_path)
    made = (first / "made").stat().st_mtime_ns
    assert written_by("scripts.program", (), tmp_path) == first
    assert (first / "made").stat().st_mtime_ns == made
    assert list(first.parent.iterdir()) == [first]
    program.write_text("raise SystemExit('snippets/x.py:3: cannot be')")
    with pytest.raises(BadInput, match=r"snippets/x\.py:3: cannot be"):
        written_by("scripts.program", (), tmp_path)
    assert list(first.parent.iterdir()) == [first]
