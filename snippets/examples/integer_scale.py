"""Four weights as integers, without a scale and with one."""

import numpy as np

from snippets.formats import INT4

weights = np.array([0.021, -0.013, 0.004, -0.035])
scale = np.abs(weights).max() / INT4.largest
levels = np.round(weights / scale)

print("weights:  ", weights)
print("rounded:  ", np.round(weights).astype(int))
print("scaled:   ", levels.astype(int), f"times {scale:.3f}")
print("read back:", levels * scale)
