"""What FP16 holds, by every pattern of its sixteen bits."""

import numpy as np

every = np.arange(2**16, dtype=np.uint16).view(np.float16)
finite = every[np.isfinite(every)]
positive = finite[finite > 0].astype(np.float64)

print(f"{every.size:,} patterns, {finite.size:,} finite")
print(f"largest {positive.max():.0f}, smallest {positive.min():.3g}")
for low in (1, 2, 1024):
    between = (low <= positive) & (positive < 2 * low)
    print(f"from {low} to {2 * low}: {between.sum():,} numbers")
print(f"below 1: {(positive < 1).mean():.0%} of the positive ones")
