"""`experiments.measurement` asks it before anything is measured: it settles what libraries decide for
themselves, and gives back what holds, for the record.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scripts.devices.device import Device

# They change what an allocator or cuBLAS holds. Each is read once, when CUDA is first used, so a
# process that used CUDA before this keeps them: the record says so.
IN_FORCE = (
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUBLASLT_WORKSPACE_SIZE",
    "TORCH_CUBLASLT_UNIFIED_WORKSPACE",
    "NVIDIA_TF32_OVERRIDE",
)


def settle(device: Device) -> dict[str, str | bool]:
    """Products as they are checked: FP32 in FP32, sums of 16-bit products in FP32; the allocator and
    cuBLAS with their own defaults. What then holds, by name."""
    if device.kind != "cuda":
        return {}
    kept = {name: os.environ[name] for name in IN_FORCE if name in os.environ}
    if not _in_use():
        for name in kept:
            del os.environ[name]
        kept = {}
    import torch

    matmul = torch.backends.cuda.matmul
    # "ieee", not "tf32", which rounds inputs to ten bits (torch.backends, fp32_precision).
    matmul.fp32_precision = "ieee"
    # By default cuBLAS may add up parts of a long sum in 16 bits (numerical accuracy notes).
    matmul.allow_fp16_reduced_precision_reduction = False
    matmul.allow_bf16_reduced_precision_reduction = False
    matmul.allow_fp16_accumulation = False
    torch.cuda.set_device(device.torch_name)  # Triton and graphs use the current one
    held: dict[str, str | bool] = {
        "fp32_precision": str(matmul.fp32_precision),
        "fp16_reduced_precision_reduction": bool(matmul.allow_fp16_reduced_precision_reduction),
        "bf16_reduced_precision_reduction": bool(matmul.allow_bf16_reduced_precision_reduction),
        "blas_library": str(torch.backends.cuda.preferred_blas_library()),
        **kept,
    }
    with contextlib.suppress(AttributeError, RuntimeError):  # not in every build
        held["allocator"] = torch.cuda.get_allocator_backend()
    return held


def _in_use() -> bool:
    """Whether CUDA has been used in this process. It imports no torch: that comes after."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())
