"""The same gradient in FP16, lifted by scaling the loss."""

import numpy as np

from snippets.formats import FP16
from snippets.number_formats import loss_scale

gradient = 2e-8
scale = loss_scale(gradient, FP16)

stored = np.float16(gradient * scale)
print(f"scaled by {scale:.0f}: {stored:.4g}")
print(f"unscaled in FP32: {np.float32(stored) / np.float32(scale):.4g}")
