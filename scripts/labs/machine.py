"""The lab that measures a reader's machine asks here what there is, what it moves, and what others did."""

import tempfile
from pathlib import Path
from typing import Any

from scripts.devices.device import Device, detect
from scripts.experiments.bandwidth import measure as bandwidth
from scripts.records.journal import Journal
from scripts.records.record import read_all

ROOT = Path(__file__).parents[2]


def find_device(name: str) -> Device:
    """The device of a name: "auto" (the first GPU, else the CPU), "cpu", "cuda" or "cuda:1".

    Raises BadInput where there is none.
    """
    return detect(name)


def smallest_buffer(device: Device) -> int:
    """Bytes of which the device's cache holds so little that copying them measures its memory."""
    return bandwidth.CACHES[device.kind] * device.cache_bytes


def smallest_width(device: Device) -> int:
    """Rows and columns of such a matrix in 16 bits, as far as the memory holds it."""
    return bandwidth.matrix_width(device)


def measure_bandwidth(
    device: Device,
    *,
    buffer_bytes: int,
    matrix_width: int,
    batches: dict[str, list[int]],
    samples: int,
) -> dict[str, Any]:
    """What a record of the bandwidth experiment holds, measured now: bytes, seconds, bytes/s.

    `copy` and `read` are of a buffer; each type of `batches` is of a square matrix times so many
    vectors, one among them, which is its `matrix_vector`. Raises BadInput for a wrong result.
    """
    parameters = bandwidth.parameters(preset="quick", device=device) | {
        "copy_bytes": buffer_bytes,
        "matrix_width": matrix_width,
        "batches": batches,
        "samples": samples,
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal(experiment="lab", device=device.slug, fingerprint="", root=Path(folder)) as run,
    ):
        return bandwidth.measure(device=device, parameters=parameters, run=run)


def published_copies() -> dict[str, float]:
    """Bytes/s that each published device moved in copying, by its name."""
    return {
        record.device["name"]: record.results["copy"]["bytes_per_second"]
        for key, record in read_all(ROOT).items()
        if key.endswith("/bandwidth")
    }
