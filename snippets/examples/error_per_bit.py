"""The rounding error that the step predicts, and the error found."""

import numpy as np

from snippets.quantization import dequantize, group_scales, quantize, relative_error

weights = np.random.default_rng(0).normal(0, 0.02, 2**16)
length = np.sqrt(np.mean(weights**2))

for bits in (8, 6, 5, 4, 3, 2):
    steps = group_scales(weights, bits=bits, group=32)
    predicted = np.sqrt(np.mean(np.float64(steps) ** 2) / 12) / length
    restored = dequantize(quantize(weights, steps, bits=bits), steps)
    found = relative_error(weights, restored)
    print(f"{bits} bits: predicted {predicted:.3f}, found {found:.3f}")
