"""Intel's Gaudi accelerators."""

from snippets.hardware.accelerator import Accelerator, Document, GiB

GAUDI_3_PAPER = Document(
    "Intel Gaudi 3 AI accelerator, whitepaper",
    "https://www.intel.com/content/www/us/en/content-details/817486/intel-gaudi-3-ai-accelerator-white-paper.html",
)

gaudi_3 = Accelerator(
    name="Intel Gaudi 3 128 GB",
    memory=128 * GiB,
    memory_bandwidth=3.7e12,
    dense_bf16=1835e12,
    dense_fp8=1835e12,
    link_bandwidth=600e9,
    power=900,
    sources=GAUDI_3_PAPER.cite(
        "Gaudi 3 OAM",
        memory="128 GB HBM2e",
        memory_bandwidth="3.7 TB/s",
        dense_bf16="BF16 matrix 1,835 TFLOPS",
        dense_fp8="FP8 matrix 1,835 TFLOPS",
        link_bandwidth="24 Ethernet ports of 200 Gbit/s each way",
        power="900 W",
    ),
)
