"""Eight weights, the levels they are moved to, and what is read back."""

import numpy as np

from snippets.quantization import dequantize, group_scales, quantize

bits = 4
weights = np.random.default_rng(0).normal(0, 0.02, 32)
scales = group_scales(weights, bits=bits, group=32)
levels = quantize(weights, scales, bits=bits)
restored = dequantize(levels, scales)

print(f"scale {scales[0, 0]:.6f}")
for weight, level, value in list(zip(weights, levels[0], restored[0], strict=True))[:8]:
    print(f"{weight:+.4f} -> {level:+d} -> {value:+.4f}")
