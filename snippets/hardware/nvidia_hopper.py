"""NVIDIA's accelerators for data centres, from H100 to B200."""

from snippets.hardware.accelerator import Accelerator, Document, GiB

H100_DATASHEET = Document(
    "NVIDIA H100 Tensor Core GPU, product specifications",
    "https://www.nvidia.com/en-us/data-center/h100/",
)
H200_DATASHEET = Document(
    "NVIDIA H200 Tensor Core GPU, product specifications",
    "https://www.nvidia.com/en-us/data-center/h200/",
)
DGX_B200_DATASHEET = Document(
    "NVIDIA DGX B200, datasheet (eight GPUs, divided by eight)",
    "https://resources.nvidia.com/en-us-dgx-systems/dgx-b200-datasheet",
)

h100_pcie = Accelerator(
    name="NVIDIA H100 PCIe 80 GB",
    memory=80 * GiB,
    memory_bandwidth=2e12,
    dense_fp32=51e12,
    dense_tf32=378e12,
    dense_fp16=756e12,
    dense_bf16=756e12,
    dense_fp8=1513e12,
    dense_int8=1513e12,
    link_bandwidth=300e9,
    power=350,
    sources=H100_DATASHEET.cite(
        "H100 PCIe",
        memory="GPU memory 80 GB",
        memory_bandwidth="2 TB/s",
        dense_fp32="FP32 51 TFLOPS",
        dense_tf32="TF32 756 TFLOPS with sparsity; dense is half",
        dense_fp16="FP16 1,513 TFLOPS with sparsity; dense is half",
        dense_bf16="BFLOAT16 1,513 TFLOPS with sparsity; dense is half",
        dense_fp8="FP8 3,026 TFLOPS with sparsity; dense is half",
        dense_int8="INT8 3,026 TOPS with sparsity; dense is half",
        link_bandwidth="NVLink 600 GB/s, both directions together",
        power="300-350 W",
    ),
)

h100_nvl = Accelerator(
    name="NVIDIA H100 NVL 94 GB",
    memory=94 * GiB,
    memory_bandwidth=3.9e12,
    dense_fp32=60e12,
    dense_tf32=417e12,
    dense_fp16=835e12,
    dense_bf16=835e12,
    dense_fp8=1670e12,
    dense_int8=1670e12,
    link_bandwidth=300e9,
    power=400,
    sources=H100_DATASHEET.cite(
        "H100 NVL",
        memory="GPU memory 94 GB",
        memory_bandwidth="3.9 TB/s",
        dense_fp32="FP32 60 TFLOPS",
        dense_tf32="TF32 835 TFLOPS with sparsity; dense is half",
        dense_fp16="FP16 1,671 TFLOPS with sparsity; dense is half",
        dense_bf16="BFLOAT16 1,671 TFLOPS with sparsity; dense is half",
        dense_fp8="FP8 3,341 TFLOPS with sparsity; dense is half",
        dense_int8="INT8 3,341 TOPS with sparsity; dense is half",
        link_bandwidth="NVLink 600 GB/s, both directions together",
        power="350-400 W",
    ),
)

h100_sxm = Accelerator(
    name="NVIDIA H100 SXM 80 GB",
    memory=80 * GiB,
    memory_bandwidth=3.35e12,
    dense_fp32=67e12,
    dense_tf32=494e12,
    dense_fp16=989e12,
    dense_bf16=989e12,
    dense_fp8=1979e12,
    dense_int8=1979e12,
    link_bandwidth=450e9,
    power=700,
    sources=H100_DATASHEET.cite(
        "H100 SXM",
        memory="GPU memory 80 GB",
        memory_bandwidth="3.35 TB/s",
        dense_fp32="FP32 67 TFLOPS",
        dense_tf32="TF32 989 TFLOPS with sparsity; dense is half",
        dense_fp16="FP16 1,979 TFLOPS with sparsity; dense is half",
        dense_bf16="BFLOAT16 1,979 TFLOPS with sparsity; dense is half",
        dense_fp8="FP8 3,958 TFLOPS with sparsity; dense is half",
        dense_int8="INT8 3,958 TOPS with sparsity; dense is half",
        link_bandwidth="NVLink 900 GB/s, both directions together",
        power="up to 700 W",
    ),
)

h200_sxm = Accelerator(
    name="NVIDIA H200 SXM 141 GB",
    memory=141 * GiB,
    memory_bandwidth=4.8e12,
    dense_fp32=67e12,
    dense_tf32=494e12,
    dense_fp16=989e12,
    dense_bf16=989e12,
    dense_fp8=1979e12,
    dense_int8=1979e12,
    link_bandwidth=450e9,
    power=700,
    sources=H200_DATASHEET.cite(
        "H200 SXM",
        memory="GPU memory 141 GB",
        memory_bandwidth="4.8 TB/s",
        dense_fp32="FP32 67 TFLOPS",
        dense_tf32="TF32 989 TFLOPS with sparsity; dense is half",
        dense_fp16="FP16 1,979 TFLOPS with sparsity; dense is half",
        dense_bf16="BFLOAT16 1,979 TFLOPS with sparsity; dense is half",
        dense_fp8="FP8 3,958 TFLOPS with sparsity; dense is half",
        dense_int8="INT8 3,958 TOPS with sparsity; dense is half",
        link_bandwidth="NVLink 900 GB/s, both directions together",
        power="up to 700 W",
    ),
)

b200_sxm = Accelerator(
    name="NVIDIA B200 SXM 180 GB",
    memory=180 * GiB,
    memory_bandwidth=8e12,
    dense_fp16=2250e12,
    dense_bf16=2250e12,
    dense_fp8=4500e12,
    dense_fp4=9000e12,
    link_bandwidth=900e9,
    power=1000,
    sources=DGX_B200_DATASHEET.cite(
        "DGX B200",
        memory="1,440 GB total",
        memory_bandwidth="64 TB/s HBM3e",
        dense_fp16="half of FP8",
        dense_bf16="half of FP8",
        dense_fp8="FP8 72 PFLOPS with sparsity; dense is half",
        dense_fp4="FP4 144 PFLOPS with sparsity; dense is half",
        link_bandwidth="NVLink 14.4 TB/s aggregate, both directions together",
        power="GPU up to 1,000 W",
    ),
)
