"""The experiments on bandwidth ask it for the ways there are to copy a tensor, and for the fastest of
them on a device.

None is the fastest everywhere: PyTorch copies with all threads through the caches, NumPy with one
thread past them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import torch

from scripts.devices.timing import seconds_per_call

if TYPE_CHECKING:
    from scripts.devices.device import Device

PASSES = 5


def ways_to_copy(target: torch.Tensor, source: torch.Tensor) -> dict[str, Callable[[], object]]:
    """Calls that copy `source` to `target`, by the library that does it."""
    ways: dict[str, Callable[[], object]] = {"torch": lambda: target.copy_(source)}
    if target.device.type == "cpu":
        import numpy as np

        to, values = target.numpy(), source.numpy()
        ways["numpy"] = lambda: np.copyto(to, values)
    return ways


def fastest(ways: Mapping[str, Callable[[], object]], *, device: Device) -> str:
    """The way whose best call is the fastest; they take turns."""
    seconds: dict[str, float] = {}
    for _ in range(PASSES):
        for name, way in ways.items():
            taken = seconds_per_call(way, repeats=1, device=device)
            seconds[name] = min(taken, seconds.get(name, taken))
    return min(seconds, key=seconds.__getitem__)
