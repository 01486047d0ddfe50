"""Operations that an H100 could do for each byte, and those that writing needs."""

from snippets.bandwidth import balance_point
from snippets.formats import FP16
from snippets.hardware import h100_sxm

balance = balance_point(h100_sxm.dense_fp16, h100_sxm.memory_bandwidth)

print(f"balance point: {balance:.0f} operations per byte")
print(f"per FP16 parameter: {balance * FP16.bytes:.0f}")
print("matrix times one vector: 2 per parameter")
