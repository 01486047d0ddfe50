"""What the exponent and the mantissa buy in each floating-point format."""

from snippets.formats import BF16, FP16, FP32
from snippets.number_formats import decimal_digits, largest_finite

for number_format in (FP32, FP16, BF16):
    digits = decimal_digits(number_format.mantissa_bits)
    largest = largest_finite(number_format.exponent_bits, number_format.mantissa_bits)
    print(f"{number_format.name}: {digits:.1f} digits, largest {largest:.5g}")
