"""A gradient that FP16 flushes to zero and BF16 keeps."""

import numpy as np

from snippets.formats import BF16
from snippets.number_formats import round_to_format

gradient = 2e-8

print(f"FP32: {np.float32(gradient):.4g}")
print(f"FP16: {np.float16(gradient):.4g}")
print(f"BF16: {round_to_format(gradient, BF16):.4g}")
