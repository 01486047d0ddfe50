"""The bandwidth experiment: right before fast, counted by hand, sized to the device."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.core.faults import BadInput
from scripts.devices import timing
from scripts.devices.device import Device, cpu
from scripts.experiments.bandwidth import measure as bandwidth
from tests.experiments.measuring import CARD, SERVER, GiB, measured

HERE = replace(cpu(), dtypes=("fp32", "fp16"))
TINY: dict[str, Any] = {
    "copy_bytes": 2**16,
    "matrix_width": 96,
    "batches": {"fp32": [1, 2, 8], "fp16": [1], "bf16": []},
    "samples": 3,
    "threads": 1,
}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "WARM_UP_SECONDS", 0.0)
    monkeypatch.setattr(timing, "SHORTEST_SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(bandwidth, "disturbances", lambda device: ["a neighbour"])


def test_results_count_bytes_and_operations(tmp_path: Path) -> None:
    results = measured(bandwidth, tmp_path, HERE, **TINY)
    around = {"disturbances_before", "disturbances_after"}
    assert set(results) == {"copy", "read", "matrix", "fp32", "fp16"} | around
    assert all(results[name] == ["a neighbour"] for name in around)
    assert results["copy"]["call"] in {"torch", "numpy"}
    assert results["fp32"]["matrix_vector"]["bytes"] == (96 * 96 + 96 + 96) * 4
    assert set(results["fp32"]["matrix_batch"]) == {"2", "8"}
    eight = results["fp32"]["matrix_batch"]["8"]
    assert eight["bytes"] == (96 * 96 + 8 * 96 + 8 * 96) * 4
    assert eight["operations"] == 2 * 96 * 96 * 8
    assert eight["seconds"]["count"] == 3
    assert eight["call"] in {"linear", "mm"}
    assert results["fp16"]["matrix_vector"]["bytes"] == (96 * 96 + 96 + 96) * 2


def test_a_resumed_run_measures_only_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = measured(bandwidth, tmp_path, HERE, **TINY)
    monkeypatch.setattr(bandwidth, "_random", None)
    assert measured(bandwidth, tmp_path, HERE, **TINY) == first


@pytest.mark.parametrize("broken", ["mm", "mv"])
def test_a_wrong_product_is_refused_before_it_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    import torch

    monkeypatch.setattr(torch, broken, lambda weights, columns: (weights + 0.001) @ columns)
    monkeypatch.setattr(bandwidth, "seconds_per_call", None)
    with pytest.raises(BadInput, match=f"{broken} of fp32, 1 vectors: wrong result"):
        measured(bandwidth, tmp_path, HERE, **TINY)


def test_not_a_number_is_a_wrong_result() -> None:
    with pytest.raises(BadInput, match="wrong result"):
        bandwidth._expect("copy", error=float("nan"), tolerance=1)


ALL = [2**power for power in range(13)]


@pytest.mark.parametrize(
    ("device", "preset", "width", "batches", "left_out"),
    [
        (CARD, "quick", 16384, {"fp32": ALL, "fp16": ALL, "bf16": ALL}, {}),
        (
            *(replace(CARD, dtypes=("fp32", "fp16")), "full", 16384),
            {"fp32": ALL, "fp16": ALL, "bf16": []},
            {"bf16": "does not multiply bf16"},
        ),
        (
            *(SERVER, "quick", 8192, {"fp32": ALL[:7], "fp16": ALL[:3], "bf16": ALL[:3]}),
            {"fp32": "quick preset", "fp16": "emulates fp16", "bf16": "emulates bf16"},
        ),
        (
            *(SERVER, "full", 8192, {"fp32": ALL, "fp16": ALL[:7], "bf16": ALL[:7]}),
            {"fp16": "emulates fp16", "bf16": "emulates bf16"},
        ),
    ],
)
def test_a_device_says_what_it_measures_and_leaves_out(
    device: Device, preset: str, width: int, batches: Any, left_out: dict[str, str]
) -> None:
    found = bandwidth.parameters(preset=preset, device=device)
    assert (found["matrix_width"], found["copy_bytes"]) == (width, GiB)
    assert found["batches"] == batches
    assert found["left_out"].keys() == left_out.keys()
    assert all(words in found["left_out"][dtype] for dtype, words in left_out.items())
    assert found["samples"] >= 20


@pytest.mark.parametrize("memory", [2 * GiB, 3 * GiB, 7 * GiB, 16 * GiB, 180 * GiB])
@pytest.mark.parametrize("cache", [2**20, 50 * 2**20, 126 * 2**20])
@pytest.mark.parametrize("device", [CARD, SERVER])
def test_buffers_fit_the_memory_and_exceed_the_cache(
    device: Device, memory: int, cache: int
) -> None:
    device = replace(device, memory_bytes=memory, cache_bytes=cache)
    found = bandwidth.parameters(preset="full", device=device)
    matrix = found["matrix_width"] ** 2
    batch = found["matrix_width"] * 4096
    assert 2 * found["copy_bytes"] <= memory / 4
    assert matrix * 4 + 3 * batch * 4 <= memory / 2
    if memory >= 16 * GiB:
        assert matrix * 2 >= 4 * cache
        assert found["copy_bytes"] >= 4 * cache


@pytest.mark.parametrize(
    ("mebibytes", "gibibytes"),
    [(2.25, 12), (32, 8), (72, 24), (50, 80), (60, 141), (126, 180)],  # RTX 3060 to B200
)
def test_no_cards_cache_holds_a_part_that_counts(mebibytes: float, gibibytes: int) -> None:
    card = replace(CARD, cache_bytes=int(mebibytes * 2**20), memory_bytes=gibibytes * GiB)
    found = bandwidth.parameters(preset="quick", device=card)
    assert found["matrix_width"] ** 2 * 2 >= 15 * card.cache_bytes
    assert found["copy_bytes"] >= 16 * card.cache_bytes
