"""One outlier coarsens every weight under its scale: a group of 32, or a whole matrix."""

import numpy as np

from snippets.quantization import group_scales, quantize, share_at_zero

bits, deviation = 4, 0.02
weights = np.random.default_rng(0).normal(0, deviation, 2**16)
weights[weights.argmax()] = 13 * deviation

for name, group in (("group of 32", 32), ("matrix", weights.size)):
    levels = quantize(weights, group_scales(weights, bits=bits, group=group), bits=bits)
    print(f"one scale per {name}: {share_at_zero(levels):.2%} of the weights at zero")
