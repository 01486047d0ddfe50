"""The rule written out for one group of weights."""

import numpy as np

from snippets.quantization import group_scales, quantize

bits = 4
weights = np.random.default_rng(0).normal(0, 0.02, 32)

highest = 2 ** (bits - 1) - 1
scale = np.float16(np.abs(weights).max() / highest)
levels = np.clip(np.round(weights / scale), -highest, highest)
moved = np.abs(weights - levels * scale).max() / scale

print(f"integers from {levels.min():.0f} to {levels.max():.0f}")
print(f"farthest moved: {moved:.2f} of a scale")

scales = group_scales(weights, bits=bits, group=32)
library = quantize(weights, scales, bits=bits)
print(f"as in snippets.quantization: {np.array_equal(levels, library[0])}")
