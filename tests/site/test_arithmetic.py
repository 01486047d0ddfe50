"""The translated arithmetic on its way into the site."""

import gzip
from pathlib import Path

import pytest
from mkdocs.exceptions import PluginError

from scripts.site import arithmetic


def test_is_translated_once_for_the_same_sources(tmp_path: Path) -> None:
    (tmp_path / "of-other-sources").mkdir()
    first = arithmetic.translated(tmp_path)
    module = first / "assets/arithmetic/planner.js"
    made = module.stat().st_mtime_ns
    assert arithmetic.translated(tmp_path) == first
    assert module.stat().st_mtime_ns == made
    assert [path.name for path in tmp_path.iterdir()] == [first.name]
    sizes = [len(gzip.compress(path.read_bytes())) for path in first.rglob("*") if path.is_file()]
    assert sum(sizes) < 60_000  # the reader of configurations, and those that are known


def test_what_cannot_be_translated_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scripts").mkdir()
    broken = 'import sys; print("snippets/x.py:3: cannot be", file=sys.stderr); sys.exit(1)'
    (tmp_path / "scripts/javascript.py").write_text(broken)
    monkeypatch.setattr(arithmetic, "ROOT", tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)  # which could name the sound ones
    with pytest.raises(PluginError, match=r"snippets/x\.py:3: cannot be"):
        arithmetic.translated(tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())
