"""The sixteen bits that FP16 stores for 0.1, taken apart."""

import numpy as np

bits = f"{np.float16(0.1).view(np.uint16):016b}"
sign, exponent, mantissa = bits[0], bits[1:6], bits[6:]
power = int(exponent, 2) - 15
fraction = 1 + int(mantissa, 2) / 1024

print(f"sign {sign}, exponent {exponent}, mantissa {mantissa}")
print(f"{fraction:.7f} x 2^{power} = {fraction * 2.0**power:.8f}")
