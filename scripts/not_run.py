"""What could not be run, and why: said in the record, so that the rest can go on."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scripts.devices import Device


def attempt(work: Callable[[], dict[str, Any]], *, device: Device) -> dict[str, Any]:
    """The results of `work`; {"not_run": reason} when the device's memory does not hold it."""
    import torch

    try:
        return work()
    except (torch.OutOfMemoryError, MemoryError) as error:
        reason = _first_line(error)
    except RuntimeError as error:
        # The CPU's allocator, and old CUDA libraries, raise no kind of their own.
        if not any(sign in str(error) for sign in ("can't allocate memory", "out of memory")):
            raise
        reason = _first_line(error)
    gc.collect()
    if device.kind == "cuda":
        torch.cuda.empty_cache()
    return {"not_run": f"out of memory: {reason}"}


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
