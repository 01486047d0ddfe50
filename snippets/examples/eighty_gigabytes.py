"""A datasheet's 80 GB of GPU memory are 80 GiB."""

from snippets.hardware import h100_sxm

print(f"{h100_sxm.memory / 2**30:.0f} GiB = {h100_sxm.memory / 1e9:.1f} GB")
print(f"1 GiB is {2**30 / 1e9 - 1:.1%} more than 1 GB")
