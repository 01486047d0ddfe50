"""The smallest update that makes an FP16 weight grow, found by trying all of them."""

import numpy as np

updates = np.arange(1, 0x7C00, dtype=np.uint16).view(np.float16)
print(f"{updates.size} updates, from {updates[0]:.3g} to {updates[-1]:.5g}")

for value in (1.0, 1.25, 1.5, 1.75, 1.9990234375):
    weight = np.float16(value)
    kept = updates[weight + updates != weight]
    ratio = float(kept.min()) / value
    print(f"weight {value:.4f}: kept from {ratio * 2**12:.3f} x 2^-12 of it")
