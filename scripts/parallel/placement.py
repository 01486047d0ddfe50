"""Each experiment on parallelism asks it how many ranks its device can have, and runs work on them through
it: a rank on each card of the device's kind, with NCCL between them, or processes of a CPU, with gloo.

What ran on the host's CPU is never recorded as a card's: where there are too few cards, less is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.devices.device import gpu_names
from scripts.devices.not_run import TooFewCards

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal


def cards(device: Device) -> list[int]:
    """The numbers of the cards called as `device` is, itself first; none for a CPU."""
    if device.kind != "cuda":
        return []
    alike = [index for index, name in enumerate(gpu_names()) if name == device.name]
    return sorted(alike, key=lambda index: index != device.index)


def ranks_that_run(device: Device, wanted: Iterable[int]) -> list[int]:
    """Those numbers of ranks for which there are enough cards; on a CPU all.

    Raises TooFewCards where not even two ranks are left, or the fewest that are wanted.
    """
    wanted = list(wanted)
    if device.kind != "cuda":
        return wanted
    there, fewest = len(cards(device)), max(2, min(wanted))
    if there < fewest:
        raise TooFewCards(
            f"{fewest} ranks need {fewest} cards, and this machine shows {there} {device.name}; with "
            "--device cpu they are processes of its CPU, and gloo is between them"
        )
    return [each for each in wanted if each <= there]


def on_ranks(
    run: Journal, key: str, work: Callable[..., Any], ranks: int, device: Device, **rest: Any
) -> list[Any]:
    """What `work` returned on each rank, unless an earlier part of this run has it under `key`.

    The rest is what `scripts.parallel.launch` takes.
    """
    from scripts.parallel.launch import launch

    names = [f"cuda:{index}" for index in cards(device)[:ranks]] or ["cpu"] * ranks
    take = partial(launch, work, devices=names, **rest)
    found: list[Any] = run.once(key, take, weight=1)
    return found
