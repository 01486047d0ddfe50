"""Measuring in a test: an experiment with small parameters, and what must follow from its samples."""

from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts.devices.device import Device, cpu
from scripts.experiments.expected import at
from scripts.experiments.plausibility import expected, follows
from scripts.parallel.traffic import GLOO_HEADER_BYTES
from scripts.records.journal import Journal
from scripts.records.record import Record

GiB = 2**30
# In FP32 the order of sums is all that a split changes: a few units in the last of 24 bits.
TOLERANCE = 1e-6
CARD = Device(
    slug="rtx-3060",
    name="NVIDIA GeForce RTX 3060",
    kind="cuda",
    memory_bytes=12 * GiB,
    cache_bytes=2359296,
    cores=28,
    dtypes=("fp32", "fp16", "bf16"),
)
SERVER = replace(
    CARD,
    slug="epyc-2-cores",
    name="AMD EPYC",
    kind="cpu",
    memory_bytes=24 * GiB,
    cache_bytes=32 * 2**20,
    cores=2,
    dtypes=("fp32",),
)


def measured(
    experiment: ModuleType, folder: Path, device: Device | None = None, **smaller: Any
) -> dict[str, Any]:
    """The results of a room's `measure`, once all that its samples give has been computed again."""
    device = device or cpu()
    parameters = {**experiment.parameters(preset="quick", device=device), **smaller}
    with Journal(experiment="test", device="cpu", fingerprint="0" * 16, root=folder) as run:
        results: dict[str, Any] = experiment.measure(device=device, parameters=parameters, run=run)
    name = experiment.__name__.split(".")[-2].replace("_", "-")
    record = Record(name, parameters, asdict(device), {}, None, {}, None, results)
    if held := expected(name):
        for place, value in held.figures(record):
            assert follows(at(results, place), value), place
    return results


def check_wire(step: dict[str, Any], *, ranks: int) -> None:
    """All that the kernel counted beyond the formula is headers, and little beside large arrays."""
    headers = step["header_bytes"] * ranks
    assert headers >= 0
    assert headers % GLOO_HEADER_BYTES == 0
