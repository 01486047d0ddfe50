"""What the page about methods says in words is what the published records hold."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.records.record import Record, read_all

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/how-we-measure.md").read_text("utf-8")


@pytest.fixture(scope="module")
def bandwidth() -> Record:
    return read_all(ROOT)["epyc-2-cores/bandwidth"]


def samples(results: Any) -> Iterator[list[float]]:
    for name, value in results.items() if isinstance(results, dict) else ():
        if name == "samples":
            yield value
        yield from samples(value)


def test_at_least_twenty_samples(bandwidth: Record) -> None:
    assert "At least [twenty][w-samples] samples" in PAGE
    found = list(samples(bandwidth.results))
    assert found
    assert min(map(len, found)) >= 20


def test_a_copy_moves_twice_its_buffer(bandwidth: Record) -> None:
    assert "twice the buffer is moved" in PAGE
    copy = bandwidth.results["copy"]
    moved = copy["bytes_per_second"] * copy["seconds"]["median"]
    assert moved == pytest.approx(2 * bandwidth.parameters["copy_bytes"])


def test_buffers_exceed_the_last_level_cache(bandwidth: Record) -> None:
    assert "Buffers exceed the last-level cache" in PAGE
    assert bandwidth.parameters["copy_bytes"] > bandwidth.device["cache_bytes"]
