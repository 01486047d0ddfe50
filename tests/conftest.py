"""What tests share: a copy of the tree to break, a Chromium, and what is said where one is missing."""

import os
import shutil
from pathlib import Path

import pytest

from scripts.site.chromium import INSTALL, find_chromium
from tests import packages

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # there is a process of tests for each core

ROOT = Path(__file__).parents[1]
NOT_RUN = f"The browser tests did NOT run: no Chromium was found. {INSTALL}"
NOT_FETCHED = """\
The tests of access did NOT run: they need axe-core, and npm could not fetch it. Run the tests again
with a network, or fetch it alone:
    .venv/bin/python -c "from tests import packages; packages.install()" """


def missing() -> dict[str, tuple[str, str]]:
    """The markers of tests that cannot run here, each with a title and what to do about it."""
    if find_chromium() is None:
        return {"browser": ("browser tests NOT RUN", NOT_RUN)}
    if not packages.ready():
        return {"packages": ("tests of access NOT RUN", NOT_FETCHED)}
    return {}


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before there are workers, so that the packages are fetched once."""
    if find_chromium() and not hasattr(session.config, "workerinput"):
        packages.install()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    absent = missing()
    left_out = [item for item in items if any(map(item.get_closest_marker, absent))]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, remedy in missing().values():
        terminalreporter.section(title, red=True, bold=True)
        terminalreporter.write_line(remedy, red=True)


@pytest.fixture(scope="session")
def chromium() -> str:
    path = find_chromium()
    assert path, NOT_RUN
    return path


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project for the tests of a module to break; each puts back what it broke."""
    copy = tmp_path_factory.mktemp("tree")
    for name in ("docs", "snippets", "scripts", "theme"):
        ignored = shutil.ignore_patterns("local", "embedded", "__pycache__")
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    (copy / "docs/data/embedded").symlink_to(ROOT / "docs/data/embedded")
    (copy / "third_party").symlink_to(ROOT / "third_party")
    for name in ("pyproject.toml", "mkdocs.yml"):
        shutil.copy(ROOT / name, copy / name)
    (copy / ".cache").mkdir()
    for kept in (ROOT / ".cache").glob("*.json"):
        shutil.copy(kept, copy / ".cache")
    return copy
