"""An MLP split over two GPUs: the first matrix by columns, the second by rows, one sum."""

import numpy as np

generator = np.random.default_rng(0)
tokens = generator.normal(size=(3, 8))
first, second = generator.normal(size=(8, 32)), generator.normal(size=(32, 8))

whole = np.maximum(tokens @ first, 0) @ second

left = np.maximum(tokens @ first[:, :16], 0) @ second[:16]
right = np.maximum(tokens @ first[:, 16:], 0) @ second[16:]

print(f"each part of the result: {left.shape[0]} tokens x {left.shape[1]}")
print("their sum is the whole result:", np.allclose(left + right, whole))
