"""The comparison asks it for the methods by name: each takes one matrix and what it was calibrated with,
and gives the restored matrix and the bits that a weight then takes.

The arithmetic is that of `snippets`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.activation_aware import round_awq
from snippets.block_formats import round_mxfp4, round_nf4, round_nvfp4
from snippets.gptq import gptq
from snippets.quantization import dequantize, group_scales, quantize
from snippets.quantized_size import bits_per_weight
from snippets.rounding_choices import round_asymmetric, round_clipped

Matrix = NDArray[np.floating]

GROUP = 32
SCALE_TRIES = 21


@dataclass(frozen=True)
class Method:
    """`apply` takes a matrix and X^T X of its inputs, and returns what rounding leaves of it."""

    name: str
    title: str
    bits: float
    apply: Callable[[Matrix, Matrix], Matrix]
    calibrated: bool = False


def methods() -> list[Method]:
    """All methods, in the order of the table."""
    found = []
    for bits in (4, 3):
        with_scale = bits_per_weight(bits, GROUP)
        settings: dict[str, Any] = {"bits": bits, "group": GROUP}
        found += [
            Method(
                f"nearest_{bits}", "round to nearest", with_scale, partial(_nearest, **settings)
            ),
            Method(
                f"asymmetric_{bits}",
                "with a zero point",
                bits_per_weight(bits, GROUP, zero_bits=bits),
                partial(_blocks, rule=round_asymmetric, **settings),
            ),
            Method(
                f"clipped_{bits}",
                "scale of least error",
                with_scale,
                partial(_blocks, rule=round_clipped, tries=SCALE_TRIES, **settings),
            ),
            Method(
                f"awq_{bits}",
                "AWQ-style scaled columns",
                with_scale,
                partial(round_awq, tries=SCALE_TRIES, **settings),
                calibrated=True,
            ),
            Method(f"gptq_{bits}", "GPTQ", with_scale, partial(gptq, **settings), calibrated=True),
        ]
    # One scale for a whole matrix adds 32 bits to all its weights: too little to show.
    return [
        *found,
        Method("nf4", "NF4", bits_per_weight(4, 64, scale_bits=32), _rule(round_nf4)),
        Method("mxfp4", "MXFP4", bits_per_weight(4, 32, scale_bits=8), _rule(round_mxfp4)),
        Method("nvfp4", "NVFP4", bits_per_weight(4, 16, scale_bits=8), _rule(round_nvfp4)),
    ]


def _nearest(weights: Matrix, hessian: Matrix, *, bits: int, group: int) -> Matrix:
    scales = group_scales(weights, bits=bits, group=group)
    return dequantize(quantize(weights, scales, bits=bits), scales).reshape(weights.shape)


def _blocks(
    weights: Matrix, hessian: Matrix, *, rule: Callable[..., Matrix], **settings: Any
) -> Matrix:
    return rule(weights, **settings).reshape(weights.shape)


def _rule(rule: Callable[..., Matrix]) -> Callable[[Matrix, Matrix], Matrix]:
    return partial(_blocks, rule=rule)
