"""An experiment or the build hands it the error that ended a piece of work; back comes the reason in
words where the device is too small or too old for it, else None.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scripts.devices.device import Device

# What the CPU's allocator and CUDA's older libraries say, which raise no kind of error of their own.
OUT_OF_MEMORY = ("can't allocate memory", "out of memory")
TOO_OLD = (
    "driver on your system is too old",
    "no kernel image is available",
    "only supports Ampere GPUs",
)


class TooFewCards(RuntimeError):
    """Work of several ranks, on a machine with fewer cards; the message says what to do about it."""


def too_small_or_old(error: Exception) -> str | None:
    """What a device lacks for work that ended with this error; None if that is not why it ended."""
    if isinstance(error, TooFewCards):
        return str(error)
    import torch

    lines = str(error).strip().splitlines() or [type(error).__name__]
    no_memory = isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
        sign in str(error) for sign in OUT_OF_MEMORY
    )
    if no_memory:
        return f"out of memory: {lines[0]}"
    return lines[0] if any(sign in str(error) for sign in TOO_OLD) else None


def attempt(work: Callable[[], dict[str, Any]], *, device: Device) -> dict[str, Any]:
    """The results of `work`; {"not_run": reason} where the device is too small or too old for it."""

    try:
        return work()
    except (MemoryError, RuntimeError) as error:
        reason = too_small_or_old(error)
        if reason is None:
            raise
    release(device)  # only now, with the error and the frames that held tensors gone
    return {"not_run": reason}


def release(device: Device) -> None:
    """Give back what nothing holds any more, so that the next piece of work finds the card empty."""
    gc.collect()
    if device.kind == "cuda":
        import torch

        torch.cuda.empty_cache()
