"""What a product of 4,096 x 4,096 matrices in FP16 moves on an H100, by the edge of its tiles."""

from snippets.bandwidth import product_operations
from snippets.hardware import h100_sxm
from snippets.tiles import matmul_elements

edge = 4096
arithmetic = product_operations(rows=edge, columns=edge, vectors=edge) / h100_sxm.dense_fp16
print(f"arithmetic: {arithmetic * 1e3:.2f} ms")
for tile in (1, 16, 64, 128, 256, 1024):
    moved = 2 * matmul_elements(rows=edge, columns=edge, inner=edge, tile=tile)
    seconds = moved / h100_sxm.memory_bandwidth
    print(f"tile {tile}: {moved / 1e9:.2f} GB in {seconds * 1e3:.2f} ms")
