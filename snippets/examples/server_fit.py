"""Llama 3.1 405B on servers of eight H100s."""

from snippets.formats import BF16, FP8_E4M3
from snippets.hardware import h100_sxm
from snippets.number_formats import weight_bytes
from snippets.parallelism import fits

for number_format, gpus in ((BF16, 8), (BF16, 16), (FP8_E4M3, 8)):
    weights = weight_bytes(405e9, number_format.bytes)
    fit = fits(needed_bytes=weights, gpus=gpus, memory_per_gpu=h100_sxm.memory)
    print(
        f"{number_format.name} on {gpus} GPUs: {weights / 1e9:.0f} GB into "
        f"{gpus * h100_sxm.memory / 1e9:.0f} GB: {'fits' if fit else 'does not fit'}"
    )
