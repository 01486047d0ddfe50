"""An experiment or the build hands it the error that ended a piece of work; back comes the reason in
words where the device is too small or too old for it, else None.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scripts.devices.device import Device

# What the CPU's allocator and CUDA's libraries say, which raise no kind of error of their own.
OUT_OF_MEMORY = (
    "can't allocate memory",
    "out of memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
)
TOO_OLD = (
    "driver on your system is too old",
    "no kernel image is available",
    "only supports Ampere GPUs",
    # A kernel that is not built for this card, or not for this format on it.
    "no kernel found to launch",
    "CUBLAS_STATUS_NOT_SUPPORTED",
    "does not support bfloat16",
    "CUBLAS_STATUS_ARCH_MISMATCH",
    "is only supported on AMD gpu arch",
)


class NotRun(RuntimeError):
    """A piece of work is left out of a record; the message says why: a wrong result, for one."""


class TooFewCards(NotRun):
    """Work of several ranks, on a machine with fewer cards; the message says what to do about it."""


def too_small_or_old(error: Exception) -> str | None:
    """What a device lacks for work that ended with this error; None if that is not why it ended."""
    said = str(error)
    lines = said.strip().splitlines() or [type(error).__name__]
    if isinstance(error, NotRun):
        return said
    if isinstance(error, MemoryError) or any(sign in said for sign in OUT_OF_MEMORY):
        return f"out of memory: {lines[0]}"  # torch.OutOfMemoryError says so too
    return lines[0] if any(sign in said for sign in TOO_OLD) else None


def attempt(work: Callable[[], dict[str, Any]], *, device: Device) -> dict[str, Any]:
    """The results of `work`; {"not_run": reason} where the device is too small or too old for it."""
    try:
        return work()
    except (MemoryError, RuntimeError) as error:
        reason = too_small_or_old(error)
        if reason is None:
            raise
    # Only now, with the error and the frames that it held gone, can what they held be freed.
    release(device)
    return {"not_run": reason}


def release(device: Device) -> None:
    """Give back a card's memory that nothing uses any more, workspaces of libraries included.

    A context that an error of a kernel has spoilt stays so: it says so again at the next call.
    """
    gc.collect()
    torch = sys.modules.get("torch")  # what never imported it holds nothing
    if device.kind == "cuda" and torch is not None and torch.cuda.is_initialized():
        with contextlib.suppress(RuntimeError):
            torch._C._cuda_clearCublasWorkspaces()
            torch.cuda.empty_cache()
