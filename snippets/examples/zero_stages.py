"""Bytes on each GPU as ZeRO splits more: 7.5B parameters over 64 GPUs."""

from snippets.training_memory import zero_bytes_per_parameter

parameters, copies = 7.5e9, 64

for stage in (0, 1, 2, 3):
    each = zero_bytes_per_parameter(stage=stage, copies=copies)
    print(f"stage {stage}: {each:.2f} bytes per parameter, {parameters * each / 1e9:.1f} GB")
