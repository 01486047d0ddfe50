"""The bandwidth experiment: right before fast, counted by hand, sized to the device."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.core.faults import BadInput
from scripts.devices import timing
from scripts.devices.device import Device, cpu
from scripts.experiments.bandwidth import measure as bandwidth
from scripts.records.journal import Journal

GiB = 2**30

CARD = Device(
    slug="rtx-3060",
    name="NVIDIA GeForce RTX 3060",
    kind="cuda",
    memory_bytes=12 * GiB,
    cache_bytes=2359296,
    cores=28,
    dtypes=("fp32", "fp16", "bf16"),
)
SERVER = Device(
    slug="epyc-2-cores",
    name="AMD EPYC",
    kind="cpu",
    memory_bytes=24 * GiB,
    cache_bytes=32 * 2**20,
    cores=2,
    dtypes=("fp32",),
)

TINY: dict[str, Any] = {
    "preset": "quick",
    "copy_bytes": 2**16,
    "matrix_width": 96,
    "batches": {"fp32": [1, 2, 8], "fp16": [1], "bf16": []},
    "left_out": {},
    "samples": 3,
    "threads": 1,
}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "WARM_UP_SECONDS", 0.0)
    monkeypatch.setattr(timing, "SHORTEST_SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(bandwidth, "disturbances", lambda device: ["a neighbour"])


def measure(root: Path) -> dict[str, Any]:
    with Journal(experiment="bandwidth", device="test", fingerprint="0" * 64, root=root) as run:
        return bandwidth.measure(device=cpu(), parameters=TINY, run=run)


def test_results_count_bytes_and_operations(tmp_path: Path) -> None:
    results = measure(tmp_path)
    around = {"disturbances_before", "disturbances_after"}
    assert set(results) == {"copy", "read", "matrix", "fp32", "fp16"} | around
    assert all(results[name] == ["a neighbour"] for name in around)
    assert results["matrix"] == {"rows": 96, "columns": 96}
    assert results["copy"]["bytes"] == 2 * 2**16
    assert results["copy"]["call"] in {"torch", "numpy"}
    assert results["read"]["bytes"] == 2**16
    assert results["fp32"]["matrix_vector"]["bytes"] == (96 * 96 + 96 + 96) * 4
    assert results["fp32"]["matrix_vector"]["operations"] == 2 * 96 * 96
    assert set(results["fp32"]["matrix_batch"]) == {"2", "8"}
    eight = results["fp32"]["matrix_batch"]["8"]
    assert eight["bytes"] == (96 * 96 + 8 * 96 + 8 * 96) * 4
    assert eight["operations"] == 2 * 96 * 96 * 8
    assert eight["vectors"] == 8
    assert eight["noise"] >= 0
    assert eight["seconds"]["count"] == 3
    median = eight["seconds"]["median"]
    assert eight["bytes_per_second"] == eight["bytes"] / median
    assert eight["operations_per_second"] == eight["operations"] / median
    assert eight["call"] in {"linear", "mm"}
    assert results["fp16"]["matrix_vector"]["bytes"] == (96 * 96 + 96 + 96) * 2
    assert results["fp16"]["batch_speedup"] == 1


def test_a_resumed_run_measures_only_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = measure(tmp_path)
    monkeypatch.setattr(bandwidth, "_random", None)
    assert measure(tmp_path) == first


@pytest.mark.parametrize("broken", ["mm", "mv"])
def test_a_wrong_product_is_refused_before_it_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    import torch

    monkeypatch.setattr(torch, broken, lambda weights, columns: (weights + 0.001) @ columns)
    monkeypatch.setattr(bandwidth, "seconds_per_call", None)
    with pytest.raises(BadInput, match=f"{broken} of fp32, 1 vectors: wrong result"):
        measure(tmp_path)


def test_not_a_number_is_a_wrong_result() -> None:
    with pytest.raises(BadInput, match="wrong result"):
        bandwidth._expect("copy", error=float("nan"), tolerance=1)


def test_a_graphics_card_gets_the_lessons_sizes() -> None:
    found = bandwidth.parameters(preset="quick", device=CARD)
    assert found["copy_bytes"] == GiB
    assert found["matrix_width"] == 16384
    assert found["batches"]["fp16"] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
    assert found["left_out"] == {}
    assert found["samples"] >= 20


def test_a_card_without_bf16_leaves_it_out() -> None:
    old = replace(CARD, dtypes=("fp32", "fp16"))
    found = bandwidth.parameters(preset="full", device=old)
    assert found["batches"]["bf16"] == []
    assert "does not multiply bf16" in found["left_out"]["bf16"]


def test_a_cpu_says_what_it_leaves_out() -> None:
    quick = bandwidth.parameters(preset="quick", device=SERVER)
    assert quick["matrix_width"] == 8192
    assert quick["batches"]["fp32"][-1] == 64
    assert quick["batches"]["fp16"] == [1, 2, 4]
    assert "quick preset" in quick["left_out"]["fp32"]
    assert "emulates fp16" in quick["left_out"]["fp16"]
    full = bandwidth.parameters(preset="full", device=SERVER)
    assert full["batches"]["fp32"][-1] == 4096
    assert full["batches"]["bf16"][-1] == 64
    assert set(full["left_out"]) == {"fp16", "bf16"}


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
