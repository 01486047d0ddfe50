"""NVIDIA's consumer graphics cards."""

from snippets.hardware.accelerator import Accelerator, GiB
from snippets.sources import Source

READ = "2026-11-29"


def ampere_paper(section: str) -> Source:
    return Source(
        "NVIDIA Ampere GA102 GPU architecture, whitepaper",
        section,
        "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf",
        READ,
    )


def ada_paper(section: str) -> Source:
    return Source(
        "NVIDIA Ada GPU architecture, whitepaper",
        section,
        "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf",
        READ,
    )


def rtx_3060_sheet(section: str) -> Source:
    return Source(
        "GeForce RTX 3060 family, specifications",
        section,
        "https://www.nvidia.com/en-us/geforce/graphics-cards/30-series/rtx-3060-3060ti/",
        READ,
    )


rtx_3060 = Accelerator(
    name="NVIDIA GeForce RTX 3060 12 GB",
    memory=12 * GiB,
    memory_bandwidth=360e9,
    dense_fp32=12.7e12,
    dense_tf32=12.7e12,
    dense_fp16=25.5e12,
    dense_bf16=25.5e12,
    dense_int8=101.9e12,
    power=170,
    sources={
        "memory": rtx_3060_sheet("RTX 3060: 12 GB GDDR6, 192-bit"),
        "memory_bandwidth": rtx_3060_sheet("RTX 3060: 192-bit at 15 Gbit/s per pin"),
        "dense_fp32": rtx_3060_sheet("RTX 3060: 3,584 cores at 1.777 GHz, two operations each"),
        "dense_tf32": ampere_paper("third-generation tensor core: as many as FP32 outside it"),
        "dense_fp16": ampere_paper("112 tensor cores at 1.777 GHz, FP32 accumulate: 128 each"),
        "dense_bf16": ampere_paper("112 tensor cores at 1.777 GHz, FP32 accumulate: 128 each"),
        "dense_int8": ampere_paper("112 tensor cores at 1.777 GHz: 512 each"),
        "power": rtx_3060_sheet("RTX 3060: graphics card power 170 W"),
    },
)

rtx_4090 = Accelerator(
    name="NVIDIA GeForce RTX 4090 24 GB",
    memory=24 * GiB,
    memory_bandwidth=1.008e12,
    dense_fp32=82.6e12,
    dense_tf32=82.6e12,
    dense_fp16=165.2e12,
    dense_bf16=165.2e12,
    dense_fp8=330.3e12,
    dense_int8=660.6e12,
    power=450,
    sources={
        "memory": ada_paper("appendix A, RTX 4090: 24 GB GDDR6X"),
        "memory_bandwidth": ada_paper("appendix A, RTX 4090: 1,008 GB/s"),
        "dense_fp32": ada_paper("appendix A, RTX 4090: peak FP32 82.6 TFLOPS"),
        "dense_tf32": ada_paper("appendix A, RTX 4090: peak TF32 82.6 (165.2 with sparsity)"),
        "dense_fp16": ada_paper("appendix A, RTX 4090: FP16, FP32 accumulate 165.2 (330.4 sparse)"),
        "dense_bf16": ada_paper("appendix A, RTX 4090: BF16, FP32 accumulate 165.2 (330.4 sparse)"),
        "dense_fp8": ada_paper("appendix A, RTX 4090: FP8, FP32 accumulate 330.3 (660.6 sparse)"),
        "dense_int8": ada_paper("appendix A, RTX 4090: INT8 660.6 TOPS (1,321.2 sparse)"),
        "power": ada_paper("appendix A, RTX 4090: graphics card power 450 W"),
    },
)
