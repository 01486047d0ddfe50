"""What a device cannot do is said in the record, and the rest goes on."""

from typing import Any

import pytest
import torch

from scripts.devices.device import cpu
from scripts.devices.not_run import attempt


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 16.00 GiB.\nGPU 0 has 12 GiB"
        ),
        MemoryError("cannot hold it"),
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:116] DefaultCPUAllocator: can't allocate memory"
        ),
        RuntimeError("cuBLAS: out of memory"),
    ],
)
def test_out_of_memory_becomes_a_reason(error: Exception) -> None:
    def work() -> dict[str, Any]:
        raise error

    found = attempt(work, device=cpu())
    assert found == {"not_run": f"out of memory: {str(error).splitlines()[0]}"}


@pytest.mark.parametrize(
    "message",
    [
        "The NVIDIA driver on your system is too old (found version 11040)",
        "CUDA error: no kernel image is available for execution on the device",
        "FlashAttention only supports Ampere GPUs or newer.",
    ],
)
def test_a_driver_or_card_that_is_too_old_becomes_a_reason(message: str) -> None:
    def work() -> dict[str, Any]:
        raise RuntimeError(message)

    assert attempt(work, device=cpu()) == {"not_run": message}


def test_any_other_error_is_one() -> None:
    def work() -> dict[str, Any]:
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        attempt(work, device=cpu())


def test_results_pass_through() -> None:
    assert attempt(lambda: {"bytes": 3}, device=cpu()) == {"bytes": 3}
