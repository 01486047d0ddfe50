"""Weights of a 70B model in four formats."""

from snippets.formats import FP16, FP32, INT4, INT8
from snippets.number_formats import weight_bytes

parameters = 70e9

for number_format in (FP32, FP16, INT8, INT4):
    total = weight_bytes(parameters, number_format.bytes)
    print(f"{number_format.name}: {total / 1e9:.0f} GB")
