"""NVIDIA's consumer graphics cards."""

from snippets.hardware.accelerator import Accelerator, Document, GiB

TURING_PAPER = Document(
    "NVIDIA Turing GPU architecture, whitepaper",
    "https://images.nvidia.com/aem-dam/en-zz/Solutions/design-visualization/technologies/turing-architecture/NVIDIA-Turing-Architecture-Whitepaper.pdf",
)
RTX_3060_PAGE = Document(
    "GeForce RTX 3060 family, specifications",
    "https://www.nvidia.com/en-us/geforce/graphics-cards/30-series/rtx-3060-3060ti/",
)
AMPERE_PAPER = Document(
    "NVIDIA Ampere GA102 GPU architecture, whitepaper",
    "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf",
)
ADA_PAPER = Document(
    "NVIDIA Ada GPU architecture, whitepaper",
    "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf",
)
BLACKWELL_PAPER = Document(
    "NVIDIA RTX Blackwell GPU architecture, whitepaper",
    "https://images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf",
)

rtx_2080_ti = Accelerator(
    name="NVIDIA GeForce RTX 2080 Ti 11 GB",
    memory=11 * GiB,
    memory_bandwidth=616e9,
    dense_fp32=13.4e12,
    dense_fp16=53.8e12,
    dense_int8=215.2e12,
    power=250,
    sources=TURING_PAPER.cite(
        "table 1, RTX 2080 Ti reference",
        memory="11,264 MB GDDR6",
        memory_bandwidth="616 GB/s",
        dense_fp32="peak FP32 13.4 TFLOPS",
        dense_fp16="FP16, FP32 accumulate 53.8 TFLOPS",
        dense_int8="INT8 215.2 TOPS",
        power="250 W",
    ),
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
    sources=RTX_3060_PAGE.cite(
        "RTX 3060",
        memory="12 GB GDDR6, 192 bits wide",
        memory_bandwidth="192 bits at 15 Gbit/s each",
        dense_fp32="3,584 cores at 1.777 GHz, 2 operations each",
        dense_tf32="112 tensor cores at 1.777 GHz, 64 operations each",
        dense_fp16="112 tensor cores at 1.777 GHz, FP32 accumulate, 128 operations each",
        dense_bf16="112 tensor cores at 1.777 GHz, FP32 accumulate, 128 operations each",
        dense_int8="112 tensor cores at 1.777 GHz, 512 operations each",
        power="graphics card power 170 W",
    ),
)

rtx_3090 = Accelerator(
    name="NVIDIA GeForce RTX 3090 24 GB",
    memory=24 * GiB,
    memory_bandwidth=936e9,
    dense_fp32=35.6e12,
    dense_tf32=35.6e12,
    dense_fp16=71e12,
    dense_bf16=71e12,
    dense_int8=284e12,
    link_bandwidth=56.25e9,
    power=350,
    sources=AMPERE_PAPER.cite(
        "appendix A, RTX 3090",
        memory="24 GB GDDR6X",
        memory_bandwidth="936 GB/s",
        dense_fp32="FP32 35.6 TFLOPS",
        dense_tf32="TF32 35.6 TFLOPS (71 with sparsity)",
        dense_fp16="FP16, FP32 accumulate 71 TFLOPS (142 with sparsity)",
        dense_bf16="BF16, FP32 accumulate 71 TFLOPS (142 with sparsity)",
        dense_int8="INT8 284 TOPS (568 with sparsity)",
        link_bandwidth="NVLink 112.5 GB/s, both directions together",
        power="350 W",
    ),
)

rtx_4080 = Accelerator(
    name="NVIDIA GeForce RTX 4080 16 GB",
    memory=16 * GiB,
    memory_bandwidth=716.8e9,
    dense_fp32=48.7e12,
    dense_tf32=48.7e12,
    dense_fp16=97.5e12,
    dense_bf16=97.5e12,
    dense_fp8=194.9e12,
    dense_int8=389.9e12,
    power=320,
    sources=ADA_PAPER.cite(
        "appendix B, RTX 4080",
        memory="16 GB GDDR6X",
        memory_bandwidth="716.8 GB/s",
        dense_fp32="FP32 48.7 TFLOPS",
        dense_tf32="TF32 48.7 TFLOPS (97.5 with sparsity)",
        dense_fp16="FP16, FP32 accumulate 97.5 TFLOPS (194.9 with sparsity)",
        dense_bf16="BF16, FP32 accumulate 97.5 TFLOPS (194.9 with sparsity)",
        dense_fp8="FP8, FP32 accumulate 194.9 TFLOPS (389.9 with sparsity)",
        dense_int8="INT8 389.9 TOPS (779.8 with sparsity)",
        power="320 W",
    ),
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
    sources=ADA_PAPER.cite(
        "appendix A, RTX 4090",
        memory="24 GB GDDR6X",
        memory_bandwidth="1,008 GB/s",
        dense_fp32="FP32 82.6 TFLOPS",
        dense_tf32="TF32 82.6 TFLOPS (165.2 with sparsity)",
        dense_fp16="FP16, FP32 accumulate 165.2 TFLOPS (330.4 with sparsity)",
        dense_bf16="BF16, FP32 accumulate 165.2 TFLOPS (330.4 with sparsity)",
        dense_fp8="FP8, FP32 accumulate 330.3 TFLOPS (660.6 with sparsity)",
        dense_int8="INT8 660.6 TOPS (1,321.2 with sparsity)",
        power="450 W",
    ),
)

rtx_5080 = Accelerator(
    name="NVIDIA GeForce RTX 5080 16 GB",
    memory=16 * GiB,
    memory_bandwidth=960e9,
    dense_fp32=56.3e12,
    dense_tf32=56.3e12,
    dense_fp16=112.6e12,
    dense_bf16=112.6e12,
    dense_fp8=225.1e12,
    dense_int8=450.2e12,
    dense_fp4=900.4e12,
    power=360,
    sources=BLACKWELL_PAPER.cite(
        "appendix B, RTX 5080",
        memory="16 GB GDDR7",
        memory_bandwidth="960 GB/s",
        dense_fp32="FP32 56.3 TFLOPS",
        dense_tf32="TF32 56.3 TFLOPS (112.6 with sparsity)",
        dense_fp16="FP16, FP32 accumulate 112.6 TFLOPS (225.1 with sparsity)",
        dense_bf16="BF16, FP32 accumulate 112.6 TFLOPS (225.1 with sparsity)",
        dense_fp8="FP8, FP32 accumulate 225.1 TFLOPS (450.2 with sparsity)",
        dense_int8="INT8 450.2 TOPS (900.4 with sparsity)",
        dense_fp4="FP4, FP32 accumulate 900.4 TFLOPS (1,801 with sparsity)",
        power="360 W",
    ),
)

rtx_5090 = Accelerator(
    name="NVIDIA GeForce RTX 5090 32 GB",
    memory=32 * GiB,
    memory_bandwidth=1.792e12,
    dense_fp32=104.8e12,
    dense_tf32=104.8e12,
    dense_fp16=209.5e12,
    dense_bf16=209.5e12,
    dense_fp8=419e12,
    dense_int8=838e12,
    dense_fp4=1676e12,
    power=575,
    sources=BLACKWELL_PAPER.cite(
        "appendix A, RTX 5090",
        memory="32 GB GDDR7",
        memory_bandwidth="1,792 GB/s",
        dense_fp32="FP32 104.8 TFLOPS",
        dense_tf32="TF32 104.8 TFLOPS (209.5 with sparsity)",
        dense_fp16="FP16, FP32 accumulate 209.5 TFLOPS (419 with sparsity)",
        dense_bf16="BF16, FP32 accumulate 209.5 TFLOPS (419 with sparsity)",
        dense_fp8="FP8, FP32 accumulate 419 TFLOPS (838 with sparsity)",
        dense_int8="INT8 838 TOPS (1,676 with sparsity)",
        dense_fp4="FP4, FP32 accumulate 1676 TFLOPS (3,352 with sparsity)",
        power="575 W",
    ),
)
