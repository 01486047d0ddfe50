"""What the inputs say about the weights: AWQ's scaled columns and LLM.int8()'s outlier columns."""

import numpy as np
from numpy.typing import NDArray

from snippets.quantization import dequantize, group_scales, quantize


def round_awq(
    weights: NDArray[np.floating],
    hessian: NDArray[np.floating],
    *,
    bits: int,
    group: int,
    tries: int,
) -> NDArray[np.float32]:
    """A matrix (rows, columns) rounded with columns stretched where their inputs are large.

    A column times s, rounded, divided by s: its error shrinks by about s, at the cost of the rest of
    its group. s is the input's root mean square to a power between 0 and 1: of `tries` powers, the one
    whose products change least. After Lin et al. 2024 (arXiv:2306.00978), section 3.2, which takes
    the mean magnitude. `hessian`: X^T X of the calibration inputs.

    >>> weights = np.array([[0.9, 0.35, -0.7, 0.2], [0.1, -0.45, 0.3, 0.6]])
    >>> hessian = np.diag([0.01, 9.0, 0.04, 1.0])
    >>> round_awq(weights, hessian, bits=3, group=4, tries=5).round(3)
    array([[ 0.639,  0.35 , -0.903,  0.202],
           [ 0.   , -0.45 ,  0.581,  0.52 ]], dtype=float32)
    >>> round_awq(weights, hessian, bits=3, group=8, tries=5)
    Traceback (most recent call last):
    ValueError: rows of 4 weights do not divide into groups of 8
    """
    if weights.shape[1] % group != 0:
        raise ValueError(f"rows of {weights.shape[1]} weights do not divide into groups of {group}")
    sizes = np.sqrt(np.diag(hessian))
    sizes = np.maximum(sizes / sizes.max(), 1e-4)

    def rounded(power: float) -> NDArray[np.floating]:
        stretched = weights * sizes**power
        scales = group_scales(stretched, bits=bits, group=group)
        levels = quantize(stretched, scales, bits=bits)
        return dequantize(levels, scales).reshape(weights.shape) / sizes**power

    def error(power: float) -> float:
        change = rounded(power) - weights
        return float(np.sum(change @ hessian * change))

    best = min(np.linspace(0, 1, tries), key=error)
    return rounded(best).astype(np.float32)


def int8_product(
    inputs: NDArray[np.floating], weights: NDArray[np.floating], *, threshold: float = 6
) -> NDArray[np.float32]:
    """inputs (tokens, columns) times weights (rows, columns)^T, in 8 bits but for outlier columns.

    Columns in which some input reaches the threshold stay as they are. In the others, each token
    and each row of weights has its own scale, and the product is one of integers.
    Dettmers et al. 2022 (arXiv:2208.07339), section 3.

    >>> inputs = np.array([[0.5, -1.27, 6.0], [0.3, 0.2, -5.0]])
    >>> weights = np.array([[0.127, 0.05, 0.3], [-0.2, 0.254, 0.1]])
    >>> int8_product(inputs, weights)
    array([[ 1.8      ,  0.17742  ],
           [-1.4518607, -0.509    ]], dtype=float32)
    >>> int8_product(inputs, weights, threshold=0.2).round(4)
    array([[ 1.8   ,  0.1774],
           [-1.4519, -0.5092]], dtype=float32)
    >>> int8_product(inputs, weights, threshold=7)
    array([[ 1.8030132 ,  0.172063  ],
           [-1.4500589 , -0.51299214]], dtype=float32)
    """
    outliers = np.abs(inputs).max(axis=0) >= threshold
    exact = inputs[:, outliers] @ weights[:, outliers].T
    few, rows = inputs[:, ~outliers], weights[:, ~outliers]
    token_scales = np.maximum(np.abs(few).max(axis=1, keepdims=True, initial=0), 1e-30) / 127
    row_scales = np.maximum(np.abs(rows).max(axis=1, keepdims=True, initial=0), 1e-30) / 127
    integers = np.round(few / token_scales) @ np.round(rows / row_scales).T
    return (exact + integers * token_scales * row_scales.T).astype(np.float32)
