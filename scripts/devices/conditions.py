"""Experiments that measure time ask before and after the work what else goes on: back come the other
programs that were busy and the clocks that were lowered, for the record.
"""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scripts.devices.device import Device

OBSERVED_SECONDS = 0.3
# Other programs may use this much of one core before it is worth saying.
IDLE_CORES = 0.2
# Bits of nvidia-smi's clocks_event_reasons that mean that a card runs slower than it could.
LOWERED = {
    0x4: "a software power cap",
    0x8: "a hardware slowdown",
    0x20: "a software thermal limit",
    0x40: "a hardware thermal limit",
    0x80: "a hardware power brake",
}


def disturbances(device: Device) -> list[str]:
    """One sentence for each thing that may disturb a measurement now; none if all is quiet."""
    return _on_gpu(device) if device.kind == "cuda" else _on_cpu()


def _on_cpu() -> list[str]:
    import psutil

    own = psutil.Process()
    before, own_before, began = _busy_seconds(), sum(own.cpu_times()[:2]), time.monotonic()
    time.sleep(OBSERVED_SECONDS)
    passed = time.monotonic() - began
    others = (_busy_seconds() - before) - (sum(own.cpu_times()[:2]) - own_before)
    if others / passed <= IDLE_CORES:
        return []
    return [f"other programs keep {others / passed:.1f} of {os.cpu_count()} cores busy"]


def _busy_seconds() -> float:
    import psutil

    times = psutil.cpu_times()
    return float(times.user + times.system + getattr(times, "nice", 0.0))


def _on_gpu(device: Device) -> list[str]:
    found = []
    others = {
        line
        for line in _ask(device, "compute-apps=pid")
        if line.isdigit() and int(line) != os.getpid()
    }
    if others:
        found.append(f"{len(others)} other process(es) use the card")
    for line in _ask(device, "gpu=clocks_event_reasons.active"):
        if line.startswith("0x"):
            active = int(line, 16)
            found += [
                f"clocks are lowered by {why}" for bit, why in LOWERED.items() if active & bit
            ]
    return found


def _ask(device: Device, query: str) -> list[str]:
    """Lines that nvidia-smi answers; none where it cannot."""
    try:
        done = subprocess.run(
            [
                "nvidia-smi",
                f"--id={device.smi_id}",
                f"--query-{query}",
                "--format=csv,noheader,nounits",
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]
