"""Averaging an 8B model's gradients over data-parallel copies, once a step."""

from snippets.formats import BF16
from snippets.hardware import h100_sxm
from snippets.number_formats import weight_bytes
from snippets.parallelism import all_reduce_bytes, all_reduce_seconds

gradients = weight_bytes(8e9, BF16.bytes)

for ranks in (2, 8, 64):
    sent = all_reduce_bytes(gradients, ranks)
    print(f"{ranks} GPUs: each sends {sent / 1e9:.1f} GB")

seconds = all_reduce_seconds(
    buffer_bytes=gradients, ranks=8, link_bandwidth=h100_sxm.link_bandwidth
)
print(f"8 GPUs in a ring of NVLink: {seconds * 1e3:.0f} ms at least")
