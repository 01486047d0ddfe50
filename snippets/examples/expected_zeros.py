"""How many normally distributed weights land on zero, by how far the largest one lies."""

from snippets.quantized_size import normal_share_at_zero

for deviations in (2, 3, 5, 13):
    share = normal_share_at_zero(deviations, 4)
    print(f"largest at {deviations} standard deviations: {share:.0%} at zero with 4 bits")
