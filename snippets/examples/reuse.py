"""A matrix read once serves every vector of a batch."""

from snippets.bandwidth import attainable_operations, product_intensity
from snippets.formats import FP16
from snippets.hardware import h100_sxm

for vectors in (1, 16, 256, 4096):
    intensity = product_intensity(
        rows=16384, columns=16384, vectors=vectors, bytes_per_element=FP16.bytes
    )
    attainable = attainable_operations(
        intensity=intensity,
        peak_operations=h100_sxm.dense_fp16,
        memory_bandwidth=h100_sxm.memory_bandwidth,
    )
    print(f"{vectors} vectors: {intensity:.0f} op/B, at most {attainable / 1e12:.0f} TFLOP/s")
