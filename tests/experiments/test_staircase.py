"""The staircase: bytes counted by hand, steps found in made-up rates, faults survived."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from scripts.core.faults import BadInput
from scripts.devices import timing
from scripts.devices.device import cpu
from scripts.experiments.staircase import measure as staircase
from scripts.kernels.copying import fastest, ways_to_copy
from tests.experiments.measuring import CARD, SERVER, measured

TINY: dict[str, Any] = {
    "bytes": [2**10, 2**12, 2**14],
    "kinds": ["read", "write", "copy", "triad"],
    "samples": 3,
    "cache_bytes": 2**12,
    "threads": 1,
}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "WARM_UP_SECONDS", 0.0)
    monkeypatch.setattr(timing, "SHORTEST_SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(staircase, "disturbances", lambda device: [])


def measure(root: Path) -> dict[str, Any]:
    return measured(staircase, root, **TINY)


def test_bytes_are_those_of_all_vectors(tmp_path: Path) -> None:
    results = measure(tmp_path)
    for kind in TINY["kinds"]:
        sizes = results[kind]["sizes"]
        assert list(sizes) == ["1024", "4096", "16384"]
        # Three vectors of whole elements fill a size to within twelve bytes.
        assert all(0 <= int(size) - found["bytes"] < 12 for size, found in sizes.items())


def test_out_of_memory_at_the_third_size_keeps_the_first_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = staircase._prepare

    def too_large(kind: str, elements: int, way: str, **rest: Any) -> Callable[[], object]:
        if elements * staircase.VECTORS[kind] * 4 > 2**13:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 16.00 KiB.")
        return prepare(kind, elements, way, **rest)

    monkeypatch.setattr(staircase, "_prepare", too_large)
    results = measure(tmp_path)
    for kind in TINY["kinds"]:
        sizes = results[kind]["sizes"]
        assert sizes["16384"] == {
            "not_run": "out of memory: CUDA out of memory. Tried to allocate 16.00 KiB."
        }
        assert sizes["4096"]["seconds"]["count"] == 3
        assert results[kind]["memory_bytes_per_second"] == sizes["4096"]["bytes_per_second"]


def test_a_wrong_result_ends_the_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "add", partial(torch.sub))
    with pytest.raises(BadInput, match=r"triad of .* wrong result"):
        measure(tmp_path)


def test_the_fastest_way_to_copy_is_chosen() -> None:
    target, source = torch.zeros(3), torch.arange(3.0)
    ways = ways_to_copy(target, source)
    assert set(ways) == {"torch", "numpy"}
    for way in ways.values():
        target.zero_()
        way()
        assert torch.equal(target, source)
    slow = {"slow": lambda: time.sleep(0.01), "fast": lambda: None}
    assert fastest(slow, device=cpu()) == "fast"


@pytest.mark.parametrize(
    ("rates", "knee"),
    [
        # Half way down on a logarithmic scale, half way between the two sizes.
        ({10: 1e9, 12: 100e9, 14: 100e9, 16: 25e9, 18: 25e9}, 2**15),
        ({10: 10e9, 12: 12e9}, None),
    ],
)
def test_steps_are_found(rates: dict[int, float], knee: float | None) -> None:
    sizes = {
        str(2**power): {"bytes_per_second": rate, "seconds": {"median": 1e-6}}
        for power, rate in rates.items()
    }
    found = staircase.steps(sizes, cache_bytes=2**14)
    assert found["highest_bytes_per_second"] == max(rates.values())
    assert found["memory_bytes_per_second"] == rates[max(rates)]
    assert found["knee_bytes"] == (pytest.approx(knee) if knee else None)
    assert found["knee_over_cache"] == (pytest.approx(2) if knee else None)


def test_sizes_go_beyond_the_cache_and_fit_the_memory() -> None:
    for device in (CARD, SERVER):
        for preset in ("quick", "full"):
            chosen = staircase.parameters(preset=preset, device=device)
            assert 4 * device.cache_bytes <= max(chosen["bytes"]) <= device.memory_bytes / 4
            assert chosen["samples"] >= 20


def test_a_card_replays_many_calls_of_what_fits_its_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python starts a kernel in the time in which a cache passes on megabytes: a graph needs none."""
    assert staircase._calls(2**14, device=CARD) == 256
    assert staircase._calls(2**28, device=CARD) == 4
    assert staircase._calls(2**32, device=CARD) == 1
    assert staircase._calls(2**14, device=SERVER) == 1
    calls, seconds = [], []
    monkeypatch.setattr(staircase, "_calls", lambda size, device: 4)
    monkeypatch.setattr(
        staircase, "_prepare", lambda *_, times, device: lambda: calls.append(times)
    )
    monkeypatch.setattr(staircase, "Timer", lambda prepare, device: lambda: prepare()() or 0.008)
    results = measured(staircase, tmp_path, **{**TINY, "kinds": ["write"]})
    for found in results["write"]["sizes"].values():
        seconds += found["seconds"]["samples"]
        assert found["calls_in_a_graph"] == 4
    assert set(seconds) == {0.002}, "of one call"
    assert set(calls) == {4}
