"""Google's TPUs; figures are per chip."""

from dataclasses import replace

from snippets.hardware.accelerator import Accelerator, Document, GiB

V4_PAGE = Document(
    "Google Cloud TPU documentation, TPU v4",
    "https://docs.cloud.google.com/tpu/docs/v4",
    "2026-11-29",
)
V4_LINKS = replace(V4_PAGE, read="")
V5E_PAGE = Document(
    "Google Cloud TPU documentation, TPU v5e",
    "https://docs.cloud.google.com/tpu/docs/v5e",
    "2026-11-29",
)
V5E_INT8 = Document(
    "Google Cloud TPU documentation, TPU v5e, earlier edition",
    "https://cloud.google.com/tpu/docs/v5e",
    "2026-11-29",
)
V5P_PAGE = Document(
    "Google Cloud TPU documentation, TPU v5p",
    "https://docs.cloud.google.com/tpu/docs/v5p-training",
    "2026-11-29",
)
V5P_INT8 = replace(V5P_PAGE, read="")
V6E_PAGE = Document(
    "Google Cloud TPU documentation, TPU v6e",
    "https://docs.cloud.google.com/tpu/docs/v6e.md.txt",
    "2026-11-29",
)

tpu_v4 = Accelerator(
    name="Google TPU v4",
    memory=32 * GiB,
    memory_bandwidth=1.2e12,
    dense_bf16=275e12,
    dense_int8=275e12,
    link_bandwidth=300e9,
    sources=V4_PAGE.cite(
        "system architecture",
        memory="HBM2 capacity 32 GiB",
        memory_bandwidth="HBM2 bandwidth 1200 GB/s",
        dense_bf16="peak compute per chip, bf16 or int8, 275 teraflops",
        dense_int8="peak compute per chip, bf16 or int8, 275 teraflops",
    )
    | V4_LINKS.cite("interconnect", link_bandwidth="6 links of 50 GB/s each way"),
)

tpu_v5e = Accelerator(
    name="Google TPU v5e",
    memory=16 * GiB,
    memory_bandwidth=819e9,
    dense_bf16=197e12,
    dense_int8=393e12,
    link_bandwidth=200e9,
    sources=V5E_PAGE.cite(
        "system architecture",
        memory="HBM2 capacity 16 GB",
        memory_bandwidth="HBM2 bandwidth 819 GB/s",
        dense_bf16="peak compute per chip, bf16, 197 TFLOPs",
        link_bandwidth="bidirectional interconnect 400 GB/s per chip",
    )
    | V5E_INT8.cite("system architecture", dense_int8="peak compute per chip, Int8, 393 TFLOPs"),
)

tpu_v5p = Accelerator(
    name="Google TPU v5p",
    memory=95 * GiB,
    memory_bandwidth=2.765e12,
    dense_bf16=459e12,
    dense_int8=918e12,
    link_bandwidth=600e9,
    sources=V5P_PAGE.cite(
        "system architecture",
        memory="HBM2e capacity 95 GB",
        memory_bandwidth="HBM2e bandwidth 2765 GB/s",
        dense_bf16="peak compute per chip, BF16, 459 TFLOPs",
        link_bandwidth="bidirectional interconnect 1200 GB/s per chip",
    )
    | V5P_INT8.cite("system architecture", dense_int8="peak compute per chip, int8, 918 TOPs"),
)

tpu_v6e = Accelerator(
    name="Google TPU v6e",
    memory=32 * GiB,
    memory_bandwidth=1.638e12,
    dense_bf16=918e12,
    dense_int8=1836e12,
    link_bandwidth=400e9,
    sources=V6E_PAGE.cite(
        "system architecture",
        memory="HBM capacity per chip 32 GB",
        memory_bandwidth="HBM bandwidth per chip 1,638 GB/s",
        dense_bf16="peak compute per chip, bf16, 918 TFLOPs",
        dense_int8="peak compute per chip, int8, 1836 TOPs",
        link_bandwidth="bidirectional interconnect 800 GB/s per chip",
    ),
)
