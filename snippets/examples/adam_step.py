"""One step of mixed-precision Adam on one weight, every stored number at its size."""

import numpy as np

weight, gradient = np.float16(0.75), np.float16(0.002)
master, first, second = np.float32(weight), np.float32(0), np.float32(0)
rate, decay, square_decay, epsilon = 1e-4, 0.9, 0.999, 1e-8

slope = np.float32(gradient)
first = np.float32(decay * first + (1 - decay) * slope)
second = np.float32(square_decay * second + (1 - square_decay) * slope**2)
direction = (first / (1 - decay)) / (np.sqrt(second / (1 - square_decay)) + epsilon)
master = np.float32(master - rate * direction)
weight = np.float16(master)

held = (weight, gradient, master, first, second)
print("bytes held:", " + ".join(str(number.nbytes) for number in held))
print(f"master {master:.6f}, weight {weight:.6f}")
