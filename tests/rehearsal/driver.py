"""What the CUDA driver, its management library and nvidia-smi answer on a rehearsed machine.

The two libraries are Python objects with the functions of cuda.h and nvml.h that the code calls;
nvidia-smi is a program on the path.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.rehearsal.machines import Machine

LIBRARIES = ("libcuda.so.1", "libnvidia-ml.so.1")
INVALID_DEVICE = 101
SM_MHZ, MEMORY_MHZ = 1500, 5000
VERSION = b"580.95.05"

SMI = """\
#!/bin/sh
# nvidia-smi as far as it is asked: by its bus id, what a card's clocks are and who uses it.
case "$1" in {known}) ;; *) echo "No devices were found"; exit 6 ;; esac
case "$2" in
  *compute-apps*) echo "{pid}" ;;
  *clocks_event_reasons.active) echo 0x0000000000000000 ;;
  *clocks.sm*) echo "{clocks}" ;;
  *) echo "Field is not a valid field to query."; exit 2 ;;
esac
"""


def bus_id(number: int) -> str:
    """The address of a card, by its number among all of the machine."""
    return f"00000000:{0x41 + number:02X}:00.0"


def write_smi(machine: Machine, folder: Path) -> None:
    """Put the machine's nvidia-smi into a folder."""
    known = "|".join(f"--id={bus_id(number)}" for number in range(len(machine.cards)))
    clocks = f"{SM_MHZ}, {2 * SM_MHZ}, {MEMORY_MHZ}, {MEMORY_MHZ}, 170.00"
    program = folder / "nvidia-smi"
    stated = clocks if machine.stated else ", ".join(["[N/A]"] * 5)
    pid = "$PPID" if machine.pid is None else machine.pid
    program.write_text(SMI.format(known=known, clocks=stated, pid=pid))
    os.chmod(program, 0o755)


class Driver:
    """Both libraries. What ctypes passes by reference has its object in `_obj`."""

    def __init__(self, machine: Machine) -> None:
        self.cards = [(number, machine.cards[number]) for number in machine.seen()]

    def cuInit(self, flags: int) -> int:
        return 0

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = len(self.cards)
        return 0

    def cuDeviceGet(self, device: Any, index: int) -> int:
        device._obj.value = index
        return 0 if index < len(self.cards) else INVALID_DEVICE

    def cuDeviceGetName(self, name: Any, length: int, device: Any) -> int:
        name.value = self._card(device).name.encode()
        return 0

    def cuDeviceTotalMem_v2(self, memory: Any, device: Any) -> int:
        memory._obj.value = self._card(device).memory_bytes
        return 0

    def cuDeviceGetAttribute(self, value: Any, number: int, device: Any) -> int:
        card = self._card(device)
        major, minor = card.capability
        known = {16: card.multiprocessors, 38: card.cache_bytes, 75: major, 76: minor}
        value._obj.value = known[number]
        return 0

    def cuDeviceGetPCIBusId(self, address: Any, length: int, device: Any) -> int:
        address.value = bus_id(self.cards[device.value][0]).encode()
        return 0

    def nvmlInit_v2(self) -> int:
        return 0

    def nvmlSystemGetDriverVersion(self, text: Any, length: int) -> int:
        text.value = VERSION
        return 0

    def nvmlDeviceGetHandleByPciBusId_v2(self, address: bytes, handle: Any) -> int:
        handle._obj.value = 1
        return 0

    def nvmlDeviceGetClockInfo(self, handle: Any, clock: int, rate: Any) -> int:
        rate._obj.value = {1: SM_MHZ, 2: MEMORY_MHZ}[clock]
        return 0

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: Any, active: Any) -> int:
        active._obj.value = 0
        return 0

    def _card(self, device: Any) -> Any:
        return self.cards[device.value][1]
