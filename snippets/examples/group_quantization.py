"""One group of 32 weights on rulers with 255, 15 and 3 levels."""

import numpy as np

from snippets.quantization import dequantize, group_scales, quantize, relative_error, share_at_zero

weights = np.random.default_rng(0).normal(0, 0.02, 32)
print(f"{weights.size} weights, the largest {np.abs(weights).max():.4f}")

for bits in (8, 4, 2):
    scales = group_scales(weights, bits=bits, group=32)
    levels = quantize(weights, scales, bits=bits)
    error = relative_error(weights, dequantize(levels, scales))
    print(f"{bits} bits: relative error {error:.3f}, weights at zero {share_at_zero(levels):.0%}")
