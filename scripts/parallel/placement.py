"""On which devices the processes of the experiments on parallelism run, and that each runs only once.

On a CPU all are its processes, over gloo; on GPUs each has a card of its own, over NCCL. Where there are
fewer cards than ranks nothing is run: a host's processes would be recorded as the card's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.devices import cuda_driver
from scripts.devices.not_run import NotRun

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal


def most_ranks(device: Device) -> int | None:
    """How many cards there are from this one on, of those that are visible; None on a CPU."""
    if device.kind == "cpu":
        return None
    count = cuda_driver.device_count()
    if not count:  # AMD's
        import torch

        count = torch.cuda.device_count()
    return count - device.index


def that_fit(device: Device, ranks: Sequence[int]) -> list[int]:
    """Those numbers of ranks for which there are enough cards, and someone to talk to.

    Raises NotRun when there are not enough for any, or torch lacks NCCL.
    """
    most = most_ranks(device)
    if most is None:
        return list(ranks)
    import torch.distributed as dist

    fewest = min(each for each in ranks if each > 1)
    if most < fewest:
        raise NotRun(
            f"{fewest} ranks need {fewest} cards, and from {device.torch_name} on there "
            f"{'is one' if most == 1 else f'are {most}'}; --device cpu runs them as processes"
        )
    if not dist.is_nccl_available():
        raise NotRun("ranks on several cards talk over NCCL, which this build of torch lacks")
    return [each for each in ranks if each <= most]


def on_ranks(
    run: Journal, key: str, work: Callable[..., Any], ranks: int, device: Device, **rest: Any
) -> list[Any]:
    """What `work` returned on each rank, unless an earlier part of this run has it under `key`.

    On GPUs the first rank has `device`, each further one the card after it. The rest is what
    `scripts.parallel.launch` takes.
    """
    from scripts.parallel.launch import launch

    take = partial(launch, work, world_size=ranks, device=device.torch_name, **rest)
    found: list[Any] = run.once(key, take, weight=1)
    return found
