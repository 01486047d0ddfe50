"""Timing has it look at a GPU while work is under way, for an idle one has other clocks; records ask it
what was seen. It asks NVIDIA's management library, which answers within a millisecond.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import platform
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scripts.devices import cuda_driver

if TYPE_CHECKING:
    from scripts.devices.device import Device

SECONDS_BETWEEN_LOOKS = 0.25
# Of nvml.h: nvmlClockType_t, and the bits of nvmlDeviceGetCurrentClocksThrottleReasons (since renamed,
# "clocks event reasons") that mean that a card runs slower than it could.
SM_CLOCK, MEMORY_CLOCK = 1, 2
LOWERED = {
    0x4: "a software power cap",
    0x8: "a hardware slowdown",
    0x20: "a software thermal limit",
    0x40: "a hardware thermal limit",
    0x80: "a hardware power brake",
}


@dataclass
class Looks:
    """What was seen of a card since `start`."""

    sm_hertz: list[float] = field(default_factory=list)
    memory_hertz: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    count: int = 0
    last: float = 0.0


_looks = Looks()


def start() -> None:
    """Forget what was seen: another experiment begins."""
    global _looks
    _looks = Looks()


def look(device: Device) -> None:
    """Note clocks, and why they are lowered. Called while the card works; often, and looks seldom."""
    now, library = time.monotonic(), _library()
    if library is None or (_looks.count and now - _looks.last < SECONDS_BETWEEN_LOOKS):
        return
    _looks.last = now
    with contextlib.suppress(AttributeError, RuntimeError):  # of a library that lacks a function
        _look(library, device)


def _look(library: ctypes.CDLL, device: Device) -> None:
    handle = _handle(device.index)
    if handle is None:
        return
    _looks.count += 1
    for clock, seen in ((SM_CLOCK, _looks.sm_hertz), (MEMORY_CLOCK, _looks.memory_hertz)):
        rate = ctypes.c_uint()
        if library.nvmlDeviceGetClockInfo(handle, clock, ctypes.byref(rate)) == 0:
            seen.append(rate.value * 1e6)
    active = ctypes.c_ulonglong()
    if library.nvmlDeviceGetCurrentClocksThrottleReasons(handle, ctypes.byref(active)) == 0:
        _looks.reasons.update(lowered(active.value))


def lowered(active: int) -> list[str]:
    """The reasons for which clocks are lowered, of the bits that the driver gives."""
    return [why for bit, why in LOWERED.items() if active & bit]


def clocks() -> dict[str, float]:
    """The median clocks while work was under way, in hertz; empty where nothing was seen."""
    seen = {
        "sm_under_load_hertz": _looks.sm_hertz,
        "memory_under_load_hertz": _looks.memory_hertz,
    }
    return {name: statistics.median(values) for name, values in seen.items() if values}


def reasons() -> list[str]:
    """A sentence for each reason for which clocks were lowered while work was under way."""
    return [
        f"clocks were lowered by {why} in {times} of {_looks.count} looks under load"
        for why, times in _looks.reasons.items()
    ]


@functools.cache
def _library() -> ctypes.CDLL | None:
    name = "nvml.dll" if platform.system() == "Windows" else "libnvidia-ml.so.1"
    try:
        library = ctypes.CDLL(name)
        return library if library.nvmlInit_v2() == 0 else None
    except (OSError, AttributeError):  # a container may lack it, AMD's cards do
        return None


@functools.cache
def _handle(index: int) -> ctypes.c_void_p | None:
    """The library's handle of what CUDA calls device `index`: both know its address on the bus."""
    library, address = _library(), cuda_driver.bus_id(index)
    if library is None or address is None:
        return None
    handle = ctypes.c_void_p()
    found = library.nvmlDeviceGetHandleByPciBusId_v2(address.encode(), ctypes.byref(handle))
    return handle if found == 0 else None
