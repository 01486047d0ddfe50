"""The browser tests need a Chromium. Where there is none they are left out, and that is said aloud."""

import pytest

from scripts.chromium import INSTALL, find_chromium

NOT_RUN = f"The browser tests did NOT run: no Chromium was found. {INSTALL}"


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
        terminalreporter.write_line(NOT_RUN, red=True)


@pytest.fixture(scope="session")
def chromium() -> str:
    path = find_chromium()
    assert path, NOT_RUN
    return path
