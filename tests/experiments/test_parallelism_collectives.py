"""Collectives are timed by size, and a rate is what a rank sends over its median."""

from typing import Any

import pytest

from scripts.experiments.parallelism_collectives import measure as parallelism_collectives
from snippets.parallelism import all_reduce_bytes
from tests.parallel.measuring import measured


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return measured(
        parallelism_collectives, tmp_path_factory.mktemp("run"), sizes=[4096, 65536], samples=3
    )


@pytest.mark.parametrize(("name", "share"), [("all_reduce", 1), ("all_gather", 1 / 2)])
def test_rates_follow_from_bytes_and_seconds(
    results: dict[str, Any], name: str, share: float
) -> None:
    for size in (4096, 65536):
        found = results[name][f"bytes_{size}"]
        assert found["bytes_sent"] == share * all_reduce_bytes(size, results["ranks"])
        assert found["seconds"]["count"] == 3
        rate = found["bytes_sent"] / found["seconds"]["median"]
        assert found["bytes_sent_per_second"] == rate
