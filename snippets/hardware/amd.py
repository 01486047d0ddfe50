"""AMD's accelerators and graphics cards."""

from snippets.hardware.accelerator import Accelerator, Document, GiB

ROCM = (
    "https://github.com/ROCm/legacy-rocm-build/blob/089d7513c55fc7b6edb2a75b83cb40ca883a0ec2/docs/"
)
ROCM_SPECIFICATIONS = Document(
    "AMD ROCm documentation, GPU hardware specifications",
    ROCM + "reference/gpu-arch-specs.rst",
    "2026-11-29",
)
MI250_ARCHITECTURE = Document(
    "AMD ROCm documentation, MI250 microarchitecture",
    ROCM + "conceptual/gpu-arch/mi250.md",
    "2026-11-29",
)
MI300_ARCHITECTURE = Document(
    "AMD ROCm documentation, MI300 series microarchitecture",
    ROCM + "conceptual/gpu-arch/mi300.md",
    "2026-11-29",
)
MI200_DATASHEET = Document(
    "AMD Instinct MI200 series accelerator, datasheet",
    "https://www.amd.com/content/dam/amd/en/documents/instinct-business-docs/product-briefs/instinct-mi200-datasheet.pdf",
)
MI300X_DATASHEET = Document(
    "AMD Instinct MI300X accelerator, datasheet",
    "https://www.amd.com/content/dam/amd/en/documents/instinct-tech-docs/data-sheets/amd-instinct-mi300x-data-sheet.pdf",
)
MI325X_DATASHEET = Document(
    "AMD Instinct MI325X GPU, datasheet",
    "https://www.amd.com/content/dam/amd/en/documents/instinct-tech-docs/product-briefs/instinct-mi325x-datasheet.pdf",
)
MI355X_DATASHEET = Document(
    "AMD Instinct MI355X GPU, datasheet",
    "https://www.amd.com/content/dam/amd/en/documents/instinct-tech-docs/product-briefs/amd-instinct-mi355x-gpu-brochure.pdf",
)
RX_7900_XTX_PAGE = Document(
    "AMD Radeon RX 7900 XTX, specifications",
    "https://www.amd.com/en/products/graphics/desktops/radeon/7000-series/amd-radeon-rx-7900xtx.html",
)

mi250 = Accelerator(
    name="AMD Instinct MI250 128 GB",
    memory=128 * GiB,
    memory_bandwidth=3.2768e12,
    dense_fp32=45.3e12,
    dense_fp16=362.1e12,
    dense_bf16=362.1e12,
    dense_int8=362.1e12,
    power=500,
    sources=ROCM_SPECIFICATIONS.cite("MI250", memory="VRAM 128 GiB")
    | MI250_ARCHITECTURE.cite(
        "MI250 OAM, peak performance",
        dense_fp32="vector FP32 45.3 TFLOPS",
        dense_fp16="matrix FP16 362.1 TFLOPS",
        dense_bf16="matrix BF16 362.1 TFLOPS",
        dense_int8="matrix INT8 362.1 TOPS",
    )
    | MI200_DATASHEET.cite(
        "MI250",
        memory_bandwidth="3,276.8 GB/s",
        power="500 W TDP",
    ),
)

mi250x = Accelerator(
    name="AMD Instinct MI250X 128 GB",
    memory=128 * GiB,
    memory_bandwidth=3.2768e12,
    dense_fp32=47.9e12,
    dense_fp16=383e12,
    dense_bf16=383e12,
    dense_int8=383e12,
    power=500,
    sources=ROCM_SPECIFICATIONS.cite("MI250X", memory="VRAM 128 GiB")
    | MI200_DATASHEET.cite(
        "MI250X",
        memory_bandwidth="3,276.8 GB/s",
        dense_fp32="peak FP32 vector 47.9 TFLOPS",
        dense_fp16="peak half precision 383.0 TFLOPS",
        dense_bf16="peak bfloat16 383.0 TFLOPS",
        dense_int8="peak INT8 383.0 TOPS",
        power="500 W TDP",
    ),
)

mi300x = Accelerator(
    name="AMD Instinct MI300X 192 GB",
    memory=192 * GiB,
    memory_bandwidth=5.3e12,
    dense_fp32=163.4e12,
    dense_tf32=653.7e12,
    dense_fp16=1307.4e12,
    dense_bf16=1307.4e12,
    dense_fp8=2614.9e12,
    dense_int8=2614.9e12,
    link_bandwidth=448e9,
    power=750,
    sources=ROCM_SPECIFICATIONS.cite("MI300X", memory="VRAM 192 GiB")
    | MI300_ARCHITECTURE.cite(
        "MI300X OAM, peak performance",
        memory_bandwidth="5.3 TB per second",
        dense_fp32="vector and matrix FP32 163.4 TFLOPS",
        dense_tf32="TF32 653.7 TFLOPS",
        dense_fp16="matrix FP16 1307.4 TFLOPS",
        dense_bf16="matrix BF16 1307.4 TFLOPS",
        dense_fp8="matrix FP8 2614.9 TFLOPS",
        dense_int8="matrix INT8 2614.9 TOPS",
    )
    | MI300X_DATASHEET.cite(
        "MI300X",
        link_bandwidth="7 Infinity Fabric links of 128 GB/s, both directions together",
        power="750 W peak",
    ),
)

mi325x = Accelerator(
    name="AMD Instinct MI325X 256 GB",
    memory=256 * GiB,
    memory_bandwidth=6e12,
    dense_fp32=163.4e12,
    dense_tf32=653.7e12,
    dense_fp16=1307.4e12,
    dense_bf16=1307.4e12,
    dense_fp8=2614.9e12,
    dense_int8=2614.9e12,
    link_bandwidth=448e9,
    power=1000,
    sources=ROCM_SPECIFICATIONS.cite("MI325X", memory="VRAM 256 GiB")
    | MI325X_DATASHEET.cite(
        "MI325X",
        memory_bandwidth="6 TB/s",
        dense_fp32="FP32 163.4 TFLOPS",
        dense_tf32="TF32 653.7 TFLOPS (1,307.4 with sparsity)",
        dense_fp16="FP16 1,307.4 TFLOPS (2,614.9 with sparsity)",
        dense_bf16="bfloat16 1,307.4 TFLOPS (2,614.9 with sparsity)",
        dense_fp8="FP8 2,614.9 TFLOPS (5,229.8 with sparsity)",
        dense_int8="INT8 2,614.9 TOPS (5,229.8 with sparsity)",
        link_bandwidth="7 Infinity Fabric links of 128 GB/s, both directions together",
        power="1000 W peak",
    ),
)

mi355x = Accelerator(
    name="AMD Instinct MI355X 288 GB",
    memory=288 * GiB,
    memory_bandwidth=8e12,
    dense_fp32=157.3e12,
    dense_fp16=2500e12,
    dense_bf16=2500e12,
    dense_fp8=5000e12,
    dense_int8=5000e12,
    dense_fp4=10000e12,
    link_bandwidth=537.6e9,
    power=1400,
    sources=ROCM_SPECIFICATIONS.cite("MI355X", memory="VRAM 288 GiB")
    | MI355X_DATASHEET.cite(
        "MI355X",
        memory_bandwidth="8 TB/s",
        dense_fp32="FP32 157.3 TFLOPS",
        dense_fp16="FP16 2.5 PFLOPS (5.0 with sparsity)",
        dense_bf16="bfloat16 2.5 PFLOPS (5.0 with sparsity)",
        dense_fp8="FP8 5 PFLOPS (10.1 with sparsity)",
        dense_int8="INT8 5 POPS (10.1 with sparsity)",
        dense_fp4="MXFP4 10 PFLOPS, no sparsity offered",
        link_bandwidth="7 Infinity Fabric links of 153.6 GB/s, both directions together",
        power="1,400 W",
    ),
)

rx_7900_xtx = Accelerator(
    name="AMD Radeon RX 7900 XTX 24 GB",
    memory=24 * GiB,
    memory_bandwidth=960e9,
    dense_fp32=61.4e12,
    dense_fp16=122.8e12,
    power=355,
    sources=ROCM_SPECIFICATIONS.cite("RX 7900 XTX", memory="VRAM 24 GiB")
    | RX_7900_XTX_PAGE.cite(
        "RX 7900 XTX",
        memory_bandwidth="960 GB/s",
        dense_fp32="peak single precision 61.4 TFLOPS",
        dense_fp16="peak half precision 122.8 TFLOPS",
        power="355 W",
    ),
)
