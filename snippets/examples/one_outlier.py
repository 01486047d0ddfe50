"""One outlier coarsens every weight under its scale: a group of 32, or a whole matrix."""

import numpy as np

from snippets.quantization import group_scales, quantize, share_at_zero

weights = np.random.default_rng(0).normal(0, 0.02, 2**16)
weights[1000] = 13 * 0.02

for name, group in (("group of 32", 32), ("matrix", weights.size)):
    levels = quantize(weights, group_scales(weights, bits=4, group=group), bits=4)
    print(f"one scale per {name}: {share_at_zero(levels):.0%} of the weights at zero")
