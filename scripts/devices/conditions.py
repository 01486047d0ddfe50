"""Experiments that measure time ask before and after the work what else goes on: back come the other
programs that were busy and the clocks that were lowered, for the record.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from scripts.devices import under_load

if TYPE_CHECKING:
    from scripts.devices.device import Device

OBSERVED_SECONDS = 0.3
# Other programs may use this much of one core before it is worth saying.
IDLE_CORES = 0.2
# What nvidia-smi calls them since version 535, and before.
REASONS = ("clocks_event_reasons", "clocks_throttle_reasons")
NOT_ASKED = "who else uses the card is not known: nvidia-smi does not answer"


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
    apps = _ask(device, "compute-apps=pid")
    if apps is None:
        return [NOT_ASKED, *under_load.reasons()]
    pids = {int(line) for line in apps if line.isdigit()}
    others = len(pids - {os.getpid()})
    # In a container a process does not know its number outside: one of those listed is this one, if
    # it has used the card.
    if os.getpid() not in pids and others and _uses_the_card():
        others -= 1
    found = [f"{others} other process(es) use the card"] if others else []
    answers = (_ask(device, f"gpu={name}.active") for name in REASONS)
    for line in next((lines for lines in answers if lines), []):
        if line.startswith("0x"):
            found += [f"clocks are lowered by {why}" for why in under_load.lowered(int(line, 16))]
    return found + under_load.reasons()


def _uses_the_card() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())


def _ask(device: Device, query: str) -> list[str] | None:
    """Lines that nvidia-smi answers; None where it cannot."""
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
        return None
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]
