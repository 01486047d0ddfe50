"""What a scale adds to each weight, and to a 70B model."""

from snippets.quantized_size import bits_per_weight, quantized_bytes

for bits, group in ((4, 128), (4, 32), (8, 32)):
    each = bits_per_weight(bits, group)
    total = quantized_bytes(70e9, each)
    print(f"{bits} bits, groups of {group}: {each:g} bits per weight, {total / 1e9:g} GB")
