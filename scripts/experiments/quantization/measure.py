"""Quantization: the loss of a trained model with fewer bits per weight, one scale for more or fewer."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scripts.quantization import subjects
from scripts.quantization.sweep import BITS, Sweep

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

NEEDS = ("docs/data/embedded/model.safetensors",)
QUICK_WINDOWS = 8
ALL_WINDOWS = 2**20


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Which model and text (see scripts/quantization/subjects.py), and how many windows of it."""
    return {
        "preset": preset,
        "subject": asdict(subjects.chosen()),
        "windows": QUICK_WINDOWS if preset == "quick" else ALL_WINDOWS,
        "bits": list(BITS),
        # Weights are FP16 in the file; a CPU computes with them in FP32, which holds them exactly.
        "dtype": "fp16" if device.kind == "cuda" else "fp32",
        "rule": "symmetric round-to-nearest, FP16 scales",
        "threads": device.cores if device.kind == "cpu" else None,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """The loss for each number of bits and each granularity, with what happens to each matrix."""
    import torch

    if parameters["threads"]:
        torch.set_num_threads(parameters["threads"])
    subject = subjects.load(
        subjects.Choice(**parameters["subject"]),
        dtype=parameters["dtype"],
        device=device.torch_name,
    )
    return Sweep(subject, windows=parameters["windows"], run=run).results()
