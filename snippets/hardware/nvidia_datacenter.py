"""NVIDIA's data-centre accelerators."""

from snippets.hardware.accelerator import Accelerator, GiB
from snippets.sources import Source

H100_SHEET = "https://www.nvidia.com/en-us/data-center/h100/"
A100_SHEET = (
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/"
    "nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf"
)


def h100_sheet(section: str) -> Source:
    return Source("NVIDIA H100 Tensor Core GPU, product specifications", section, H100_SHEET, READ)


def a100_sheet(section: str) -> Source:
    return Source("NVIDIA A100 Tensor Core GPU datasheet", section, A100_SHEET, READ)


READ = "2026-11-29"

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
    sources={
        "memory": h100_sheet("H100 SXM: GPU memory 80 GB"),
        "memory_bandwidth": h100_sheet("H100 SXM: GPU memory bandwidth 3.35 TB/s"),
        "dense_fp32": h100_sheet("H100 SXM: FP32 67 TFLOPS"),
        "dense_tf32": h100_sheet("H100 SXM: TF32 989 TFLOPS with sparsity, dense half of it"),
        "dense_fp16": h100_sheet("H100 SXM: FP16 1,979 TFLOPS with sparsity, dense half of it"),
        "dense_bf16": h100_sheet("H100 SXM: BFLOAT16 1,979 TFLOPS with sparsity, dense half of it"),
        "dense_fp8": h100_sheet("H100 SXM: FP8 3,958 TFLOPS with sparsity, dense half of it"),
        "dense_int8": h100_sheet("H100 SXM: INT8 3,958 TOPS with sparsity, dense half of it"),
        "link_bandwidth": h100_sheet("H100 SXM: NVLink 900 GB/s, both directions together"),
        "power": h100_sheet("H100 SXM: max thermal design power up to 700 W"),
    },
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
    sources={
        "memory": h100_sheet("H100 PCIe: GPU memory 80 GB"),
        "memory_bandwidth": h100_sheet("H100 PCIe: GPU memory bandwidth 2 TB/s"),
        "dense_fp32": h100_sheet("H100 PCIe: FP32 51 TFLOPS"),
        "dense_tf32": h100_sheet("H100 PCIe: TF32 756 TFLOPS with sparsity, dense half of it"),
        "dense_fp16": h100_sheet("H100 PCIe: FP16 1,513 TFLOPS with sparsity, dense half of it"),
        "dense_bf16": h100_sheet("H100 PCIe: BF16 1,513 TFLOPS with sparsity, dense half of it"),
        "dense_fp8": h100_sheet("H100 PCIe: FP8 3,026 TFLOPS with sparsity, dense half of it"),
        "dense_int8": h100_sheet("H100 PCIe: INT8 3,026 TOPS with sparsity, dense half of it"),
        "link_bandwidth": h100_sheet("H100 PCIe: NVLink 600 GB/s, both directions together"),
        "power": h100_sheet("H100 PCIe: max thermal design power 300-350 W"),
    },
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
    sources={
        "memory": a100_sheet("A100 80GB SXM: GPU memory 80GB HBM2e"),
        "memory_bandwidth": a100_sheet("A100 80GB SXM: GPU memory bandwidth 2,039 GB/s"),
        "dense_fp32": a100_sheet("A100 80GB SXM: FP32 19.5 TFLOPS"),
        "dense_tf32": a100_sheet("A100 80GB SXM: TF32 156 TFLOPS (312 with sparsity)"),
        "dense_fp16": a100_sheet("A100 80GB SXM: FP16 312 TFLOPS (624 with sparsity)"),
        "dense_bf16": a100_sheet("A100 80GB SXM: BFLOAT16 312 TFLOPS (624 with sparsity)"),
        "dense_int8": a100_sheet("A100 80GB SXM: INT8 624 TOPS (1,248 with sparsity)"),
        "link_bandwidth": a100_sheet("A100 80GB SXM: NVLink 600 GB/s, both directions together"),
        "power": a100_sheet("A100 80GB SXM: max thermal design power 400 W"),
    },
)
