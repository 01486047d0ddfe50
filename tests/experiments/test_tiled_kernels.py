"""Triton kernels: counted in the interpreter where the package is there, left out in words where not."""

import importlib.metadata
import importlib.util
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from scripts.devices.not_run import NotRun
from scripts.experiments.tiled_kernels import measure as room
from scripts.experiments.tiled_kernels.limits import KERNELS

CPU: Any = SimpleNamespace(kind="cpu", torch_name="cpu")
JOURNAL: Any = SimpleNamespace(progress=lambda total: None, once=lambda name, work: work())


def test_without_the_package_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found = room.measure(device=CPU, parameters={}, run=JOURNAL)
    assert found == {"left_out": room.LACKS}


@pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="pip install '.[triton]', 1 GB"
)
def test_results_are_pytorchs_and_what_is_counted_is_the_formulas() -> None:
    given = room.parameters(preset="quick", device=CPU)
    found = room.measure(device=CPU, parameters=given, run=JOURNAL)
    assert set(KERNELS) < set(found)
    for name in KERNELS:
        assert found[name]["counted_bytes"] == found[name]["bytes"]


@pytest.mark.parametrize(
    ("gives", "reason"),
    [
        (lambda: torch.full((2, 2), 5.0), "wrong result: off PyTorch's by 0.8 of the largest"),
        (lambda: torch.full((2, 2), float("nan")), "wrong result"),
    ],
)
def test_a_kernel_that_goes_wrong_is_left_out_alone(
    monkeypatch: pytest.MonkeyPatch, gives: Any, reason: str
) -> None:
    right = room.Kernel(
        run=lambda: torch.full((2, 2), 25.0),
        reference=lambda: torch.full((2, 2), 25.0),
        bytes=8,
        operations=4,
    )
    wrong = replace(right, run=gives)
    kernels = {"matmul": lambda *_: wrong, "softmax": lambda *_: right}
    monkeypatch.setattr(room, "KERNELS", kernels)
    monkeypatch.setattr(room, "_counting", lambda moved: nullcontext())
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "3.9")
    given: dict[str, Any] = {"matmul": [], "softmax": []}
    found = room.measure(device=CPU, parameters=given | {"samples": 3}, run=JOURNAL)
    assert reason in found["matmul"]["not_run"]
    assert found["softmax"]["difference"] == 0


def test_tiles_too_large_for_a_cards_cores_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    class OutOfResources(Exception):
        """As Triton raises it: no RuntimeError."""

    def run() -> torch.Tensor:
        raise OutOfResources("out of resource: shared memory, Required: 114688")

    kernel = room.Kernel(run=run, reference=run, bytes=8, operations=4)
    monkeypatch.setattr(room, "KERNELS", {"attention": lambda *_: kernel})
    monkeypatch.setattr(room, "_counting", lambda moved: nullcontext())
    with pytest.raises(NotRun, match="shared memory"):
        room._one("attention", device=CPU, parameters={"attention": []}, run=JOURNAL)
