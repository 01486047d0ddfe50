"""How far apart neighbouring FP16 numbers are: the spacing doubles with the magnitude."""

import numpy as np

for value in (1.0, 2.0, 1000.0, 2048.0, 60000.0):
    print(f"from {value:g} to the next: {np.spacing(np.float16(value)):g}")

print(f"2048 + 1 = {np.float16(2048) + np.float16(1):g}")
