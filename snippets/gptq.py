"""GPTQ: rounding one column at a time, and letting the columns still to come make up for it."""

import numpy as np
from numpy.typing import NDArray

from snippets.quantization import dequantize, group_scales, quantize


def inverse_factor(hessian: NDArray[np.floating], *, damping: float) -> NDArray[np.float64]:
    """Upper triangular U with U^T U = H^-1, where H is the damped Hessian.

    `hessian`: X^T X over calibration inputs X, (tokens, columns). `damping` is the part of its mean
    diagonal that is added to each diagonal element. Inputs that are always zero get weight one.

    >>> inverse_factor(np.array([[2.0, 1.0], [1.0, 3.0]]), damping=0.2)
    array([[ 0.67202151, -0.19200614],
           [ 0.        ,  0.53452248]])
    >>> inverse_factor(np.array([[0.0, 0.0], [0.0, 4.0]]), damping=0.0)
    array([[1. , 0. ],
           [0. , 0.5]])
    """
    wide = hessian.astype(np.float64)
    dead = np.diag(wide) == 0
    wide = wide + np.diag(np.where(dead, 1, damping * np.diag(wide).mean()))
    return np.linalg.cholesky(np.linalg.inv(wide)).T


# --8<-- [start:gptq]
def gptq(
    weights: NDArray[np.floating],
    hessian: NDArray[np.floating],
    *,
    bits: int,
    group: int,
    damping: float = 0.01,
) -> NDArray[np.float32]:
    """A matrix (rows, columns) rounded so that its products with the inputs change little.

    Each column is rounded to the nearest levels of its group. What that changes in the products is
    taken up, as far as possible, by the columns not yet rounded. A group's scales are set when its
    first column is reached. Frantar et al. 2023 (arXiv:2210.17323), algorithm 1, without its
    blocking, which changes the speed alone.

    >>> weights = np.array([[0.9, 0.35, -0.7, 0.2], [0.1, -0.45, 0.3, 0.6]])
    >>> inputs = np.array([[1.0, 0.9, 0.2, 0.0], [0.0, 0.5, 1.0, 0.7], [0.3, 0.0, 0.4, 1.0]])
    >>> rounded = gptq(weights, inputs.T @ inputs, bits=3, group=2)
    >>> print(rounded.round(3))
    [[ 0.9    0.3   -0.648  0.216]
     [ 0.15  -0.45   0.2    0.599]]
    >>> gptq(weights, inputs.T @ inputs, bits=3, group=3)
    Traceback (most recent call last):
    ValueError: rows of 4 weights do not divide into groups of 3
    """
    if weights.shape[1] % group != 0:
        raise ValueError(f"rows of {weights.shape[1]} weights do not divide into groups of {group}")
    left = weights.astype(np.float64)
    rounded = np.zeros_like(weights, dtype=np.float32)
    factor = inverse_factor(hessian, damping=damping)
    for column in range(weights.shape[1]):
        if column % group == 0:
            scales = group_scales(left[:, column : column + group], bits=bits, group=group)
        levels = quantize(left[:, column], scales, bits=bits)
        rounded[:, column] = dequantize(levels, scales)[:, 0]
        error = (left[:, column] - rounded[:, column]) / factor[column, column]
        left[:, column + 1 :] -= np.outer(error, factor[column, column + 1 :])
    return rounded


# --8<-- [end:gptq]
