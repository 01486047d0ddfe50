"""The browser tests need a Chromium. Where there is none they are left out, and that is said aloud."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLAYWRIGHT = (
    ".cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
INSTALL = """\
The browser tests did NOT run: no Chromium was found. Install one and run the tests again:
    apt-get install chromium                        (Debian, as root)
    .venv/bin/python -m playwright install chromium (anywhere)
or set CHROMIUM to the path of one that you have."""


def find_chromium() -> str | None:
    """The path of a Chromium: $CHROMIUM, one on the path, or Playwright's own."""
    if named := os.environ.get("CHROMIUM"):
        return named
    found: Iterator[str | None] = (shutil.which(name) for name in NAMES)
    if path := next(filter(None, found), None):
        return path
    own = (str(path) for pattern in PLAYWRIGHT for path in sorted(Path.home().glob(pattern)))
    return next(own, None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs a Chromium")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if find_chromium() is None:
        left_out = [item for item in items if item.get_closest_marker("browser")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if find_chromium() is None:
        terminalreporter.section("browser tests NOT RUN", red=True, bold=True)
        terminalreporter.write_line(INSTALL, red=True)


@pytest.fixture(scope="session")
def chromium() -> str:
    path = find_chromium()
    assert path, INSTALL
    return path
