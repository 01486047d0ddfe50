"""Triton kernels: counted in the interpreter where the package is there, left out in words where not."""

import importlib.util
from types import SimpleNamespace
from typing import Any

import pytest

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
