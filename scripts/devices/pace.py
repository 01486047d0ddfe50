"""Experiments ask it how fast a device should be, to say beforehand how long they will take.

Only what is printed before a run, and the bar, depend on it: no record does.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from snippets.hardware import ACCELERATORS

if TYPE_CHECKING:
    from scripts.devices.device import Device

# What a device without a row in the registry is taken for: a small one, so that it ends sooner.
UNKNOWN = {"cuda": (200e9, 10e12), "cpu": (10e9, 50e9)}
REACHED = 0.7  # of a datasheet's figures
WARM_UP = {"cuda": 0.6, "cpu": 0.25}  # seconds before the samples of each piece of work
SHORTEST_SAMPLE = 0.02


@dataclass(frozen=True)
class Pace:
    """Bytes and 16-bit operations per second that a device may be expected to reach."""

    kind: str
    bytes_per_second: float
    operations_per_second: float

    def seconds(
        self, *, moved: float, operations: float = 0, samples: int, shortest: float | None = None
    ) -> float:
        """Of one piece of work with its warm-up: so many bytes and operations, so many samples."""
        once = max(moved / self.bytes_per_second, operations / self.operations_per_second)
        floor = SHORTEST_SAMPLE if shortest is None else shortest
        return 5 * once + WARM_UP[self.kind] + samples * max(floor, once)


def pace(device: "Device") -> Pace:
    """From the device's row in the registry, where it has one."""
    bandwidth, operations = UNKNOWN[device.kind]
    card = ACCELERATORS.get(device.slug)
    if card is not None:
        bandwidth = REACHED * card.memory_bandwidth
        operations = REACHED * (card.dense_fp16 or card.dense_fp32 or operations)
    elif device.kind == "cpu":
        operations *= device.cores
    return Pace(device.kind, bandwidth, operations)
