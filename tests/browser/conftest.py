"""The built site, where it is served, and one browser for all files here."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from scripts.core.cache import Cache
from scripts.core.files import write_bytes
from scripts.core.lock import locked
from scripts.exhibits import this_machine
from scripts.records.record import read_all
from scripts.site.site import build_site
from tests.browser.hosting import hosted
from tests.browser.visits import BELOW, ROOT


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built afresh from the present sources, once for all processes of a run."""
    run = tmp_path_factory.getbasetemp()
    built = (run.parent if "PYTEST_XDIST_WORKER" in os.environ else run) / "site"
    with locked(ROOT / ".cache/lock"):
        if built.exists():
            return built
        if not (ROOT / "docs/tables/local/this-machine.md").exists():  # nothing was measured here
            for path, data in this_machine.render({}, read_all(ROOT)).items():
                write_bytes(ROOT / "docs" / path, data)
        cache = Cache(ROOT / ".cache")
        build_site(ROOT, cache, {}, built)
        cache.save()
    return built


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
