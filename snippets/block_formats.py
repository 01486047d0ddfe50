"""Four bits that are not evenly spaced: NF4, MXFP4 and NVFP4, each with its block's scale."""

import numpy as np
from numpy.typing import NDArray

# Quantiles of a normal distribution, scaled to -1 to 1: Dettmers et al. 2023 (arXiv:2305.14314),
# appendix E.
NF4 = (
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
)

# The magnitudes of FP4 E2M1: OCP Microscaling Formats 1.0, table 5.
E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def round_nf4(weights: NDArray[np.floating], *, block: int = 64) -> NDArray[np.float32]:
    """Weights as the nearest NF4 value times their block's largest magnitude, kept in FP32.

    One block per row.

    >>> print("\\n".join(map(str, NF4)))
    -1.0
    -0.6961928009986877
    -0.5250730514526367
    -0.39491748809814453
    -0.28444138169288635
    -0.18477343022823334
    -0.09105003625154495
    0.0
    0.07958029955625534
    0.16093020141124725
    0.24611230194568634
    0.33791524171829224
    0.44070982933044434
    0.5626170039176941
    0.7229568362236023
    1.0
    >>> round_nf4(np.array([2.0, -0.1, 0.3, -1.4, 0.0, 0.0, 0.0, 0.0]), block=4)
    array([[ 2.        , -0.18210007,  0.3218604 , -1.3923856 ],
           [ 0.        ,  0.        ,  0.        ,  0.        ]],
          dtype=float32)
    >>> round_nf4(np.ones(128)).shape
    (2, 64)
    """
    blocks = weights.reshape(weights.size // block, block)
    scales = np.abs(blocks).max(axis=1, keepdims=True).astype(np.float32)
    values = np.array(NF4, dtype=np.float32)
    between = (values[1:] + values[:-1]) / 2
    with np.errstate(invalid="ignore"):  # 0 / 0: any code times a scale of zero is zero
        codes = np.searchsorted(between, blocks / scales)
    return values[codes] * scales


def round_e2m1(numbers: NDArray[np.floating]) -> NDArray[np.float32]:
    """The nearest FP4 E2M1 number; halfway, the one whose mantissa is even; beyond 6, 6.

    >>> E2M1
    (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
    >>> round_e2m1(np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 7.0, -0.3, -5.1]))
    array([ 0. ,  1. ,  1. ,  2. ,  2. ,  4. ,  4. ,  6. , -0.5, -6. ],
          dtype=float32)
    """
    values = np.array(E2M1, dtype=np.float32)
    between = (values[1:] + values[:-1]) / 2
    below = np.searchsorted(between, np.abs(numbers), side="left")
    above = np.searchsorted(between, np.abs(numbers), side="right")
    return np.copysign(values[np.where(below % 2 == 0, below, above)], numbers).astype(np.float32)


def round_e4m3(numbers: NDArray[np.floating]) -> NDArray[np.float32]:
    """The nearest FP8 E4M3 number (4 exponent and 3 mantissa bits); beyond 448, 448.

    >>> round_e4m3(np.array([0.0, 0.003, 0.0156, 1.06, 1.07, -17.1, 447.0, 500.0, -501.0]))
    array([ 0.00000e+00,  3.90625e-03,  1.56250e-02,  1.00000e+00,
            1.12500e+00, -1.80000e+01,  4.48000e+02,  4.48000e+02,
           -4.48000e+02], dtype=float32)
    """
    # Below 2^-6 the spacing stays as it is there: subnormal numbers.
    exponents = np.floor(np.log2(np.maximum(np.abs(numbers), 2.0**-6)))
    spacing = 2.0 ** (exponents - 3)
    return np.clip(np.round(numbers / spacing) * spacing, -448, 448).astype(np.float32)


def round_mxfp4(weights: NDArray[np.floating], *, block: int = 32) -> NDArray[np.float32]:
    """Weights as FP4 E2M1 times their block's scale, a power of two (E8M0, 8 bits).

    The scale is the largest power of two in the largest magnitude, divided by 4, the largest one in
    E2M1; weights below 2^-125 would need a smaller one than E8M0 has. One block per row.
    OCP Microscaling Formats 1.0, sections 5.4 and 6.3.

    >>> round_mxfp4(np.array([3.9, -0.3, 0.6, 0.0, 0.9, 0.2, 0.05, -0.26]), block=4)
    array([[ 3.    , -0.25  ,  0.5   ,  0.    ],
           [ 0.75  ,  0.1875,  0.0625, -0.25  ]], dtype=float32)
    >>> round_mxfp4(np.nextafter(np.array([1, -0.5], dtype=np.float32), np.float32(0)), block=1)
    array([[ 0.75 ],
           [-0.375]], dtype=float32)
    >>> round_mxfp4(np.zeros(64)).shape, round_mxfp4(np.zeros(64)).any()
    ((2, 32), np.False_)
    """
    blocks = weights.reshape(weights.size // block, block)
    # In FP64: the logarithm of what lies just below a power of two must not round up to it.
    largest = np.abs(blocks).max(axis=1, keepdims=True).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # a block of zeros has scale zero
        scales = 2.0 ** (np.floor(np.log2(largest)) - 2)
        return (round_e2m1(blocks / scales) * scales).astype(np.float32)


def round_nvfp4(weights: NDArray[np.floating], *, block: int = 16) -> NDArray[np.float32]:
    """Weights as FP4 E2M1 times their block's scale in FP8 E4M3, times one FP32 scale for all.

    The scale of all puts the largest block's scale at 448, the largest E4M3. NVIDIA 2025
    (arXiv:2509.25149). One block per row.

    >>> round_nvfp4(np.array([5.4, -0.3, 0.6, 0.0, 0.9, 0.2, 0.05, -0.26]), block=4)
    array([[ 5.4       , -0.45000002,  0.45000002,  0.        ],
           [ 0.86785716,  0.21696429,  0.07232143, -0.28928572]],
          dtype=float32)
    >>> round_nvfp4(np.array([5.4, 1e-9, 1e-9, 2e-9]), block=2)
    array([[5.4, 0. ],
           [0. , 0. ]], dtype=float32)
    >>> round_nvfp4(np.zeros(32)).shape
    (2, 16)
    """
    blocks = weights.reshape(weights.size // block, block).astype(np.float32)
    largest = np.abs(blocks).max(axis=1, keepdims=True)
    if not blocks.any():
        return blocks
    overall = largest.max() / (448 * 6)
    scales = round_e4m3(largest / 6 / overall) * overall
    with np.errstate(invalid="ignore", divide="ignore"):  # a scale of zero makes all zero
        return round_e2m1(blocks / scales) * scales
