"""The number that each format stores for 0.1."""

from snippets.formats import BF16, FP8_E4M3, FP16, FP32
from snippets.number_formats import round_to_format

for number_format in (FP32, FP16, BF16, FP8_E4M3):
    stored = round_to_format(0.1, number_format)
    print(f"{number_format.name}: {stored:.12f}, off by {abs(stored - 0.1) / 0.1:.1e}")
