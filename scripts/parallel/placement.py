"""Where the processes of the experiments on parallelism run, and that each of them runs only once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.devices import cuda_driver

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal


def ranks_on(device: Device, *, ranks: int) -> str:
    """ "cuda", one rank per GPU and NCCL between them, where there are enough; else "cpu", gloo."""
    enough = device.kind == "cuda" and cuda_driver.device_count() >= ranks
    return "cuda" if enough else "cpu"


def on_ranks(
    run: Journal, key: str, work: Callable[..., Any], ranks: int, device: str, **rest: Any
) -> list[Any]:
    """What `work` returned on each rank, unless an earlier part of this run has it under `key`.

    `device` is what `ranks_on` says; the rest is what `scripts.parallel.launch` takes.
    """
    from scripts.parallel.launch import launch

    take = partial(launch, work, world_size=ranks, device=device, **rest)
    found: list[Any] = run.once(key, take, weight=1)
    return found
