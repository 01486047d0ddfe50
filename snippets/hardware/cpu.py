"""Servers without an accelerator, one socket each; peaks at the base clock."""

from snippets.hardware.accelerator import Accelerator, Document, GiB

EPYC_9654_PAGE = Document(
    "AMD EPYC 9654, specifications",
    "https://www.amd.com/en/products/processors/server/epyc/4th-generation-9004-and-8004-series/amd-epyc-9654.html",
)
XEON_8480_PAGE = Document(
    "Intel Xeon Platinum 8480+, specifications",
    "https://www.intel.com/content/www/us/en/products/sku/231746/intel-xeon-platinum-8480-processor-105m-cache-2-00-ghz/specifications.html",
)

epyc_9654 = Accelerator(
    name="AMD EPYC 9654, 768 GB",
    memory=768 * GiB,
    memory_bandwidth=460.8e9,
    dense_fp32=7.3728e12,
    dense_bf16=14.7456e12,
    power=360,
    sources=EPYC_9654_PAGE.cite(
        "EPYC 9654",
        memory="12 channels, one 64 GB module in each (our choice)",
        memory_bandwidth="12 channels of DDR5-4800, 8 bytes wide",
        dense_fp32="96 cores at 2.4 GHz base, 32 operations each (two 256-bit multiply-adds)",
        dense_bf16="96 cores at 2.4 GHz base, 64 operations each (AVX-512 BF16)",
        power="default TDP 360 W",
    ),
)

xeon_8480 = Accelerator(
    name="Intel Xeon Platinum 8480+, 512 GB",
    memory=512 * GiB,
    memory_bandwidth=307.2e9,
    dense_fp32=7.168e12,
    dense_bf16=229.376e12,
    dense_int8=458.752e12,
    power=350,
    sources=XEON_8480_PAGE.cite(
        "8480+",
        memory="8 channels, one 64 GB module in each (our choice)",
        memory_bandwidth="8 channels of DDR5-4800, 8 bytes wide",
        dense_fp32="56 cores at 2.0 GHz base, 64 operations each (two 512-bit multiply-adds)",
        dense_bf16="56 cores at 2.0 GHz base, 2,048 operations each (AMX)",
        dense_int8="56 cores at 2.0 GHz base, 4,096 operations each (AMX)",
        power="TDP 350 W",
    ),
)
