"""What the tests of rendering share."""

from pathlib import Path

import pytest

from scripts import render
from scripts.records.record import Record, read_all

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def published() -> dict[str, Record]:
    return read_all(ROOT)


@pytest.fixture(scope="session")
def rendered(published: dict[str, Record]) -> dict[str, bytes]:
    return render.render(published)
