"""Two choices beside the largest weight: where the ruler's zero lies, and how long it is."""

import numpy as np
from numpy.typing import NDArray

from snippets.quantization import dequantize, quantize
from snippets.quantized_size import largest_level


def round_asymmetric(
    weights: NDArray[np.floating], *, bits: int, group: int
) -> NDArray[np.float32]:
    """Weights on 2^bits levels laid from a group's smallest to its largest weight.

    The zero point is the level that stands for 0, so that zero stays exact: the range is widened
    to hold it. Jacob et al. 2018 (arXiv:1712.05877), section 2.1. One group per row; FP16 scales.

    >>> round_asymmetric(np.array([-0.25, 0.1, 0.55, 1.5]), bits=3, group=4)
    array([[-0.25,  0.  ,  0.5 ,  1.5 ]], dtype=float32)
    >>> round_asymmetric(np.array([0.5, 1.75, -3.0, -0.7]), bits=3, group=2)
    array([[ 0.5      ,  1.75     ],
           [-2.9992676, -0.8569336]], dtype=float32)
    >>> round_asymmetric(np.array([-1e-6, 0.0]), bits=4, group=2)
    array([[-8.940697e-07,  0.000000e+00]], dtype=float32)
    >>> round_asymmetric(np.array([0.0, 0.0]), bits=3, group=2)
    array([[0., 0.]], dtype=float32)
    """
    groups = weights.reshape(weights.size // group, group)
    lowest = np.minimum(groups.min(axis=1, keepdims=True), 0)
    highest = np.maximum(groups.max(axis=1, keepdims=True), 0)
    last = 2**bits - 1
    scales = ((highest - lowest) / last).astype(np.float16).astype(np.float32)
    steps = np.where(scales > 0, scales, np.inf)
    zero = np.minimum(np.round(-lowest / steps), last)  # beyond it where FP16 is too coarse
    levels = np.clip(np.round(groups / steps) + zero, 0, last)
    return ((levels - zero) * scales).astype(np.float32)


def round_clipped(
    weights: NDArray[np.floating], *, bits: int, group: int, tries: int
) -> NDArray[np.float32]:
    """Weights rounded with, for each group, the ruler whose squared error is smallest.

    Tries lengths from the largest weight down to half of it: a shorter ruler clips the largest
    weights and serves all others better. One group per row.

    >>> weights = np.array([1.0, 0.6, -0.6, 0.1, 2.0, -2.0, 2.0, 2.0, 1.0, 0.3, -0.3, 0.3])
    >>> round_clipped(weights, bits=2, group=4, tries=9)
    array([[ 0.75,  0.75, -0.75,  0.  ],
           [ 2.  , -2.  ,  2.  ,  2.  ],
           [ 1.  ,  0.  ,  0.  ,  0.  ]], dtype=float32)
    >>> round_clipped(np.array([3.0, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5]), bits=3, group=7, tries=3)
    array([[ 2.25,  0.75,  0.75, -0.75,  0.75,  0.75,  0.75]], dtype=float32)
    >>> round_clipped(np.array([1.0, 0.5]), bits=2, group=2, tries=2)
    array([[1., 0.]], dtype=float32)
    """
    groups = weights.reshape(weights.size // group, group)
    largest = np.abs(groups).max(axis=1, keepdims=True) / largest_level(bits)
    best = np.full_like(groups, np.inf, dtype=np.float32)
    for shrink in np.linspace(1, 0.5, tries):
        scales = (largest * shrink).astype(np.float16)
        tried = dequantize(quantize(groups, scales, bits=bits), scales)
        error = np.square(tried - groups).sum(axis=1, keepdims=True)
        best = np.where(error < np.square(best - groups).sum(axis=1, keepdims=True), tried, best)
    return best
