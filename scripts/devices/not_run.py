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


def too_small_or_old(error: Exception) -> str | None:
    """What a device lacks for work that ended with this error; None if that is not why it ended."""
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
    import torch

    try:
        return work()
    except (MemoryError, RuntimeError) as error:
        reason = too_small_or_old(error)
        if reason is None:
            raise
    # Only now, with the error and the frames that it held gone, can what they held be freed.
    gc.collect()
    if device.kind == "cuda":
        torch.cuda.empty_cache()
    return {"not_run": reason}
