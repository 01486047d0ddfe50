"""NVIDIA's accelerators for data centres and workstations, from V100 to L40S."""

from snippets.hardware.accelerator import Accelerator, Document, GiB

AMPERE_POST = Document(
    "NVIDIA technical blog, NVIDIA Ampere architecture in-depth",
    "https://developer.nvidia.com/blog/nvidia-ampere-architecture-in-depth/",
    "2026-11-29",
)
T4_DATASHEET = Document(
    "NVIDIA T4 Tensor Core GPU, datasheet",
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/tesla-t4/t4-tensor-core-datasheet-951643.pdf",
)
A10_DATASHEET = Document(
    "NVIDIA A10 Tensor Core GPU, datasheet",
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a10/pdf/datasheet-new/nvidia-a10-datasheet.pdf",
)
A100_DATASHEET = Document(
    "NVIDIA A100 Tensor Core GPU, datasheet",
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
)
AMPERE_PAPER = Document(
    "NVIDIA Ampere GA102 GPU architecture, whitepaper",
    "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf",
)
L4_DATASHEET = Document(
    "NVIDIA L4 Tensor Core GPU, datasheet",
    "https://resources.nvidia.com/en-us-data-center-overview/l4-gpu-datasheet",
)
L40S_DATASHEET = Document(
    "NVIDIA L40S GPU, datasheet",
    "https://resources.nvidia.com/en-us-l40s/l40s-datasheet-28413",
)

v100_sxm = Accelerator(
    name="NVIDIA V100 SXM2 32 GB",
    memory=32 * GiB,
    memory_bandwidth=900e9,
    dense_fp32=15.7e12,
    dense_fp16=125e12,
    link_bandwidth=150e9,
    power=300,
    sources=AMPERE_POST.cite(
        "V100 SXM2",
        memory="table 3, 32 GB or 16 GB HBM2",
        memory_bandwidth="table 3, 900 GB/s",
        dense_fp32="table 3, peak FP32 15.7 TFLOPS",
        dense_fp16="table 3, peak FP16 tensor, FP32 accumulate 125 TFLOPS",
        link_bandwidth="third-generation NVLink, V100's 300 GB/s, both directions together",
        power="table 3, TDP 300 W",
    ),
)

t4 = Accelerator(
    name="NVIDIA T4 16 GB",
    memory=16 * GiB,
    memory_bandwidth=320e9,
    dense_fp32=8.1e12,
    dense_fp16=65e12,
    dense_int8=130e12,
    power=70,
    sources=T4_DATASHEET.cite(
        "T4",
        memory="16 GB GDDR6",
        memory_bandwidth="320+ GB/s",
        dense_fp32="single precision 8.1 TFLOPS",
        dense_fp16="mixed precision FP16/FP32 65 TFLOPS",
        dense_int8="INT8 130 TOPS",
        power="70 W",
    ),
)

a10 = Accelerator(
    name="NVIDIA A10 24 GB",
    memory=24 * GiB,
    memory_bandwidth=600e9,
    dense_fp32=31.2e12,
    dense_tf32=62.5e12,
    dense_fp16=125e12,
    dense_bf16=125e12,
    dense_int8=250e12,
    power=150,
    sources=A10_DATASHEET.cite(
        "A10",
        memory="24 GB GDDR6",
        memory_bandwidth="600 GB/s",
        dense_fp32="FP32 31.2 TFLOPS",
        dense_tf32="TF32 62.5 TFLOPS (125 with sparsity)",
        dense_fp16="FP16 125 TFLOPS (250 with sparsity)",
        dense_bf16="BFLOAT16 125 TFLOPS (250 with sparsity)",
        dense_int8="INT8 250 TOPS (500 with sparsity)",
        power="150 W",
    ),
)

a100_40gb_sxm = Accelerator(
    name="NVIDIA A100 SXM 40 GB",
    memory=40 * GiB,
    memory_bandwidth=1.555e12,
    dense_fp32=19.5e12,
    dense_tf32=156e12,
    dense_fp16=312e12,
    dense_bf16=312e12,
    dense_int8=624e12,
    link_bandwidth=300e9,
    power=400,
    sources=AMPERE_POST.cite(
        "A100 SXM4",
        memory="table 3, 40 GB HBM2",
        memory_bandwidth="table 3, 1555 GB/s",
        dense_fp32="table 3, peak FP32 19.5 TFLOPS",
        dense_tf32="table 3, peak TF32 tensor 156 TFLOPS (312 with sparsity)",
        dense_fp16="table 3, peak FP16 tensor, FP32 accumulate 312 TFLOPS (624 with sparsity)",
        dense_bf16="table 3, peak BF16 tensor, FP32 accumulate 312 TFLOPS (624 with sparsity)",
        dense_int8="table 3, peak INT8 tensor 624 TOPS (1248 with sparsity)",
        link_bandwidth="third-generation NVLink, 600 GB/s, both directions together",
        power="table 3, TDP 400 W",
    ),
)

a100_80gb_pcie = Accelerator(
    name="NVIDIA A100 PCIe 80 GB",
    memory=80 * GiB,
    memory_bandwidth=1.935e12,
    dense_fp32=19.5e12,
    dense_tf32=156e12,
    dense_fp16=312e12,
    dense_bf16=312e12,
    dense_int8=624e12,
    link_bandwidth=300e9,
    power=300,
    sources=A100_DATASHEET.cite(
        "A100 80GB PCIe",
        memory="GPU memory 80 GB",
        memory_bandwidth="1,935 GB/s",
        dense_fp32="FP32 19.5 TFLOPS",
        dense_tf32="TF32 156 TFLOPS (312 with sparsity)",
        dense_fp16="FP16 312 TFLOPS (624 with sparsity)",
        dense_bf16="BFLOAT16 312 TFLOPS (624 with sparsity)",
        dense_int8="INT8 624 TOPS (1,248 with sparsity)",
        link_bandwidth="NVLink 600 GB/s, both directions together",
        power="max thermal design power 300 W",
    ),
)

a100_80gb_sxm = Accelerator(
    name="NVIDIA A100 SXM 80 GB",
    memory=80 * GiB,
    memory_bandwidth=2.039e12,
    dense_fp32=19.5e12,
    dense_tf32=156e12,
    dense_fp16=312e12,
    dense_bf16=312e12,
    dense_int8=624e12,
    link_bandwidth=300e9,
    power=400,
    sources=A100_DATASHEET.cite(
        "A100 80GB SXM",
        memory="GPU memory 80 GB",
        memory_bandwidth="2,039 GB/s",
        dense_fp32="FP32 19.5 TFLOPS",
        dense_tf32="TF32 156 TFLOPS (312 with sparsity)",
        dense_fp16="FP16 312 TFLOPS (624 with sparsity)",
        dense_bf16="BFLOAT16 312 TFLOPS (624 with sparsity)",
        dense_int8="INT8 624 TOPS (1,248 with sparsity)",
        link_bandwidth="NVLink 600 GB/s, both directions together",
        power="max thermal design power 400 W",
    ),
)

rtx_a6000 = Accelerator(
    name="NVIDIA RTX A6000 48 GB",
    memory=48 * GiB,
    memory_bandwidth=768e9,
    dense_fp32=38.7e12,
    dense_tf32=77.4e12,
    dense_fp16=154.8e12,
    dense_bf16=154.8e12,
    dense_int8=309.7e12,
    link_bandwidth=56.25e9,
    power=300,
    sources=AMPERE_PAPER.cite(
        "appendix C, RTX A6000",
        memory="48 GB GDDR6",
        memory_bandwidth="768 GB/s",
        dense_fp32="FP32 38.7 TFLOPS",
        dense_tf32="TF32 77.4 TFLOPS (154.8 with sparsity)",
        dense_fp16="FP16, FP32 accumulate 154.8 TFLOPS (309.7 with sparsity)",
        dense_bf16="BF16, FP32 accumulate 154.8 TFLOPS (309.7 with sparsity)",
        dense_int8="INT8 309.7 TOPS (619.4 with sparsity)",
        link_bandwidth="NVLink 112.5 GB/s, both directions together",
        power="300 W",
    ),
)

l4 = Accelerator(
    name="NVIDIA L4 24 GB",
    memory=24 * GiB,
    memory_bandwidth=300e9,
    dense_fp32=30.3e12,
    dense_tf32=60e12,
    dense_fp16=121e12,
    dense_bf16=121e12,
    dense_fp8=242.5e12,
    dense_int8=242.5e12,
    power=72,
    sources=L4_DATASHEET.cite(
        "L4",
        memory="24 GB",
        memory_bandwidth="300 GB/s",
        dense_fp32="FP32 30.3 TFLOPS",
        dense_tf32="TF32 120 TFLOPS with sparsity; dense is half",
        dense_fp16="FP16 242 TFLOPS with sparsity; dense is half",
        dense_bf16="BFLOAT16 242 TFLOPS with sparsity; dense is half",
        dense_fp8="FP8 485 TFLOPS with sparsity; dense is half",
        dense_int8="INT8 485 TOPS with sparsity; dense is half",
        power="72 W",
    ),
)

l40s = Accelerator(
    name="NVIDIA L40S 48 GB",
    memory=48 * GiB,
    memory_bandwidth=864e9,
    dense_fp32=91.6e12,
    dense_tf32=183e12,
    dense_fp16=362.05e12,
    dense_bf16=362.05e12,
    dense_fp8=733e12,
    dense_int8=733e12,
    power=350,
    sources=L40S_DATASHEET.cite(
        "L40S",
        memory="48 GB GDDR6",
        memory_bandwidth="864 GB/s",
        dense_fp32="FP32 91.6 TFLOPS",
        dense_tf32="TF32 183 TFLOPS (366 with sparsity)",
        dense_fp16="FP16 362.05 TFLOPS (733 with sparsity)",
        dense_bf16="BFLOAT16 362.05 TFLOPS (733 with sparsity)",
        dense_fp8="FP8 733 TFLOPS (1,466 with sparsity)",
        dense_int8="INT8 733 TOPS (1,466 with sparsity)",
        power="max power 350 W",
    ),
)
