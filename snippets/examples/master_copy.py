"""A thousand small updates, with and without an FP32 master copy of the weight."""

import numpy as np

update = 1e-4
weight = np.float16(0.75)
master = np.float32(0.75)

for _ in range(1000):
    weight += np.float16(update)
    master += np.float32(update)

print(f"FP16 weight alone: {weight:.4f}")
print(f"FP32 master copy:  {master:.4f}, used as FP16 {np.float16(master):.4f}")
