"""What the datasheet of an RTX 3060 predicts for a copy and for a matrix times a vector."""

from snippets.bandwidth import copy_bytes, product_bytes, transfer_seconds
from snippets.formats import FP16
from snippets.hardware import rtx_3060

copy = transfer_seconds(copy_bytes(2**30), rtx_3060.memory_bandwidth)
product = transfer_seconds(
    product_bytes(rows=16384, columns=16384, vectors=1, bytes_per_element=FP16.bytes),
    rtx_3060.memory_bandwidth,
)

print(f"copy of 1 GiB: {copy * 1e3:.3f} ms")
print(f"FP16 matrix of 16384 x 16384 times one vector: {product * 1e3:.3f} ms")
