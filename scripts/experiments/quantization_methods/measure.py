"""Beyond round-to-nearest: the loss of one model under methods that choose their rounding better."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scripts.quantization import subjects

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

NEEDS = ("docs/data/embedded/model.safetensors",)
QUICK_WINDOWS = 4
ALL_WINDOWS = 2**20
QUICK_CALIBRATION_WINDOWS = 8
CALIBRATION_WINDOWS = 64
INT8_THRESHOLDS = (6.0, 1e9)


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Which model and text, and how many windows; the calibration text is one trained on."""
    return {
        "preset": preset,
        "subject": asdict(subjects.chosen()),
        "windows": QUICK_WINDOWS if preset == "quick" else ALL_WINDOWS,
        "calibration": {
            "windows": QUICK_CALIBRATION_WINDOWS if preset == "quick" else CALIBRATION_WINDOWS
        },
        "group": 32,
        "dtype": "fp16" if device.kind == "cuda" else "fp32",
        "threads": device.cores if device.kind == "cpu" else None,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """For each method the loss, the bits per weight and the relative error of all weights."""
    import torch

    from scripts.quantization.comparison import Comparison

    if parameters["threads"]:
        torch.set_num_threads(parameters["threads"])
    choice = subjects.Choice(**parameters["subject"])
    subject = subjects.load(choice, dtype=parameters["dtype"], device=device.torch_name)
    return Comparison(
        subject,
        calibration=subjects.calibration_tokens(choice, device=device.torch_name),
        calibration_windows=parameters["calibration"]["windows"],
        windows=parameters["windows"],
        run=run,
    ).results(thresholds=INT8_THRESHOLDS)
