"""A product that is too large for FP16, in both sixteen-bit formats."""

from snippets.formats import BF16, FP16
from snippets.number_formats import round_to_format

product = 300.0 * 300.0

for number_format in (FP16, BF16):
    print(f"{number_format.name}: {round_to_format(product, number_format):g}")
