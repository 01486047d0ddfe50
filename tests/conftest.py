"""The browser tests need a Chromium, some of them packages for Node as well.

Where these are missing the tests are left out, and that is said aloud.
"""

import pytest

from scripts.site.chromium import INSTALL, find_chromium
from tests import packages

NOT_RUN = f"The browser tests did NOT run: no Chromium was found. {INSTALL}"
NOT_FETCHED = """\
The tests of access and speed did NOT run: they need axe-core and Lighthouse, and npm could not fetch
them. Run the tests again with a network, or fetch them alone:
    .venv/bin/python -c "from tests import packages; packages.install()" """


def missing() -> dict[str, tuple[str, str]]:
    """The markers of tests that cannot run here, each with a title and what to do about it."""
    if find_chromium() is None:
        return {"browser": ("browser tests NOT RUN", NOT_RUN)}
    if not packages.ready():
        return {"packages": ("tests of access and speed NOT RUN", NOT_FETCHED)}
    return {}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs a Chromium")
    config.addinivalue_line("markers", "thorough: takes long; make test-all has it")
    config.addinivalue_line("markers", "speed: takes times, and wants the machine for itself")
    config.addinivalue_line("markers", "packages: needs those of tests/browser/package.json too")


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
