"""The accelerators that the handbook knows, as objects and by slug."""

from snippets.hardware.accelerator import Accelerator
from snippets.hardware.nvidia_datacenter import a100_80gb_sxm, h100_pcie, h100_sxm
from snippets.hardware.nvidia_geforce import rtx_3060, rtx_4090

ACCELERATORS: dict[str, Accelerator] = {
    "a100-80gb-sxm": a100_80gb_sxm,
    "h100-pcie": h100_pcie,
    "h100-sxm": h100_sxm,
    "rtx-3060": rtx_3060,
    "rtx-4090": rtx_4090,
}

__all__ = [
    "ACCELERATORS",
    "Accelerator",
    "a100_80gb_sxm",
    "h100_pcie",
    "h100_sxm",
    "rtx_3060",
    "rtx_4090",
]
