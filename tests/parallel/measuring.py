"""Measure an experiment of the lab on the CPU, smaller than its quick preset."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from scripts.devices.device import cpu
from scripts.parallel.traffic import GLOO_HEADER_BYTES
from scripts.records.journal import Journal

# In FP32 the order of sums is all that a split changes: a few units in the last of 24 bits.
TOLERANCE = 1e-6


def measured(experiment: ModuleType, folder: Path, **smaller: Any) -> dict[str, Any]:
    parameters = {**experiment.parameters(preset="quick", device=cpu()), **smaller}
    with Journal(experiment="test", device="cpu", fingerprint="0" * 16, root=folder) as run:
        return experiment.measure(device=cpu(), parameters=parameters, run=run)


def check_wire(step: dict[str, Any], *, ranks: int) -> None:
    """All that the kernel counted beyond the formula is headers, and little beside large arrays."""
    headers = step["header_bytes"] * ranks
    assert headers >= 0
    assert headers % GLOO_HEADER_BYTES == 0
