"""The experiments on parallelism ask it where their processes run on a device: over NCCL on several
GPUs, over gloo on a CPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.devices import cuda_driver

if TYPE_CHECKING:
    from scripts.devices.device import Device


def ranks_on(device: Device, *, ranks: int) -> str:
    """ "cuda", one rank per GPU and NCCL between them, where there are enough; else "cpu", gloo."""
    enough = device.kind == "cuda" and cuda_driver.device_count() >= ranks
    return "cuda" if enough else "cpu"
