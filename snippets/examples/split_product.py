"""A block's MLP on two GPUs: columns of the first matrix, rows of the second, one sum."""

import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(3, 8))
first, second = rng.normal(size=(8, 32)), rng.normal(size=(32, 8))

whole = np.maximum(x @ first, 0) @ second
left = np.maximum(x @ first[:, :16], 0) @ second[:16]
right = np.maximum(x @ first[:, 16:], 0) @ second[16:]

print("the sum of the halves is the whole:", np.allclose(left + right, whole))
