"""Building `site/`: whole or as it was, one build at a time, and again for all that it depends on."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.site import site

ROOT = Path(__file__).parents[2]
CONFIG = "site_name: !ENV [NAME, A]\ndocs_dir: .cache/docs\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one page, which needs no finishing."""
    monkeypatch.setattr(site, "write_sources", lambda root, to: shutil.copytree(root / "docs", to))
    monkeypatch.setattr(site, "finish", lambda *_: None)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# One\n")
    (tmp_path / "mkdocs.yml").write_text(CONFIG + "theme: {name: mkdocs}\nplugins: []\n")
    return tmp_path


def build(root: Path) -> str:
    shutil.rmtree(root / site.SOURCES, ignore_errors=True)
    site.build_site(root, Cache(root / ".cache"), {})
    return (root / "site/index.html").read_text("utf-8")


def test_a_site_takes_the_old_ones_place_only_when_it_is_whole(root: Path) -> None:
    assert "One" in build(root)
    (root / "docs/index.md").write_text("# Two\n\n[gone](gone.md)\n")
    with pytest.raises(BadInput, match=r"link 'gone\.md', but the target is not found"):
        build(root)
    assert "One" in (root / "site/index.html").read_text("utf-8")
    assert not (root / site.FRESH).exists()
    (root / "docs/index.md").write_text("# Two\n")
    assert "Two" in build(root)
    assert not list((root / ".cache").glob("site*"))


def test_what_counts_as_an_input(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {site.inputs(root)}

    def is_new() -> bool:
        now = site.inputs(root)
        return now not in seen and not seen.add(now)

    assert not is_new()
    monkeypatch.setenv("NAME", "B")  # what mkdocs.yml asks for
    assert is_new()
    monkeypatch.setenv("REPO_URL", "https://example.org/x")  # what labs fetch the project from
    assert is_new()
    monkeypatch.setenv("EDITOR", "ed")
    assert not is_new()
    (root / "docs/index.md").write_text("# Three\n")
    assert is_new()


def test_a_site_that_lost_a_page_is_not_the_one_that_was_built(root: Path) -> None:
    build(root)
    before = site.outputs(root)
    assert site.outputs(root) == before
    (root / "site/sitemap.xml").unlink()
    assert site.outputs(root) != before


HOLDING = """import sys, time
from pathlib import Path
from scripts.core.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holding(file: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDING, str(file), str(seconds)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_second_build_waits_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    file = tmp_path / "cache/lock"
    first = holding(file, 600)
    assert first.stdout
    assert first.stdout.readline() == "held\n"
    second = holding(file, 0)
    assert second.stdout
    assert second.stdout.readline().startswith("another build is at work here")
    assert second.poll() is None
    first.kill()
    assert second.stdout.readline() == "held\n"
    assert second.wait(timeout=60) == 0
    first.wait()
