"""Find a Chromium: the browser tests look at the site in it, and the book is printed by it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLAYWRIGHT = (
    ".cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
INSTALL = """\
Install one:
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
