"""The built site, where it is served, and one browser for all files here."""

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, sync_playwright

from tests.browser.hosting import hosted
from tests.browser.visits import BELOW, ROOT


@functools.cache
def _built() -> Path:
    with FileLock(ROOT / ".cache/tested.lock"):  # the other process then finds nothing to do
        done = subprocess.run(
            [sys.executable, "scripts/build.py"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    return ROOT / "site"


@pytest.fixture(scope="package")
def site() -> Path:
    """The site of the present sources."""
    (ROOT / ".cache").mkdir(exist_ok=True)
    return _built()


@pytest.fixture(scope="package")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, below a path of its host."""
    with hosted(site, below=BELOW) as served:
        yield served


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium)
        yield launched
        launched.close()
