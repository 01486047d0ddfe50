"""The experiment `quantization-speed` hands it a kind of product, a matrix and a vector; back comes a
Product: the call that torch has for it, checked against the plain product, and the bytes it reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from scripts.core.faults import BadInput

GROUP = 32
DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
CHECKED_ROWS = 256  # of a product, against the same in FP64


@dataclass(frozen=True)
class Product:
    """A product that is ready to run. `weight_bytes` are those read each time, scales included.

    `operator` is what torch calls it: of several kernels that could do it, this one was timed.
    """

    weight_bytes: int
    call: Callable[[], Tensor]
    operator: str


def inputs_of(kind: str) -> str:
    """The format of the inputs: few-bit weights take BF16, for which alone torch has fast kernels."""
    name = kind.partition("-")[0]
    return name if name in DTYPES else "bf16"


def product(kind: str, matrix: Tensor, vector: Tensor) -> Product:
    """The product of a matrix (rows, columns) in FP32 and a vector (1, columns), prepared as `kind`.

    Kinds: fp32, fp16, bf16 (the faster of `linear` and `mv` is for the caller to try: kinds ending
    in "-mv" take `mv`), int8 (one BF16 scale per row) and int4 (one per group of 32), both with
    inputs in BF16. Raises BadInput when the result is wrong.
    """
    name, _, way = kind.partition("-")
    if name in DTYPES:
        prepared = _plain(matrix, vector, DTYPES[name], use_mv=way == "mv")
        tolerance = 0.02
    else:
        prepared = {"int8": _int8, "int4": _int4}[name](matrix, vector)
        tolerance = {"int8": 0.02, "int4": 0.2}[name]
    exact = matrix[:CHECKED_ROWS].double() @ vector[0].double()
    found = prepared.call().flatten()[:CHECKED_ROWS].double()
    error = float((found - exact).norm() / exact.norm())
    if not error <= tolerance:  # so that NaN fails too
        raise BadInput(
            f"the product {kind}",
            0,
            f"wrong result: its relative error is {error:.3g}, not below {tolerance:g}",
            "do not trust this device's figures; check its memory, clocks and libraries",
        )
    return prepared


def _plain(matrix: Tensor, vector: Tensor, dtype: torch.dtype, *, use_mv: bool) -> Product:
    weights, inputs = matrix.to(dtype), vector.to(dtype)
    size = weights.numel() * weights.element_size()
    if use_mv:
        return Product(size, lambda: torch.mv(weights, inputs[0]), "aten::mv")
    return Product(size, lambda: F.linear(inputs, weights), "aten::linear")


def _int8(matrix: Tensor, vector: Tensor) -> Product:
    scales = matrix.abs().amax(dim=1) / 127
    levels = (matrix / scales[:, None]).round().clamp(-127, 127).to(torch.int8)
    inputs, narrow = vector.bfloat16(), scales.bfloat16()
    size = levels.numel() + 2 * narrow.numel()
    # On CUDA (ATen/native/cuda/int8mm.cu) one thread multiplies a whole row in FP32, so that neighbours
    # read addresses a row apart: what is timed there is that kernel, not what eight bits could give.
    multiply = torch._weight_int8pack_mm
    return Product(size, lambda: multiply(inputs, levels, narrow), "aten::_weight_int8pack_mm")


def _int4(matrix: Tensor, vector: Tensor) -> Product:
    rows, columns = matrix.shape
    groups = matrix.view(rows, columns // GROUP, GROUP)
    scales = groups.abs().amax(dim=2) / 7
    levels = (groups / scales[..., None]).round().clamp(-7, 7).view(rows, columns)
    unsigned = (levels + 8).to(torch.int32)  # the kernels subtract 8
    inputs = vector.bfloat16()
    # Their layout: for each group of columns and each row, a scale and what is added: zero here.
    pairs = torch.stack([scales.T, torch.zeros_like(scales.T)], dim=-1).contiguous().bfloat16()
    size = levels.numel() // 2 + 2 * pairs.numel()
    if matrix.is_cuda:
        # As ATen/native/cuda/int4mm.cu takes it: the even column in a byte's upper half, 8 inner tiles
        # of 16 columns, rows in eights; it subtracts 8, multiplies by the scale, and adds.
        bytes_ = (unsigned[:, ::2] << 4 | unsigned[:, 1::2]).to(torch.uint8)
        packed = torch._convert_weight_to_int4pack(bytes_, 8)
        of_cuda = torch._weight_int4pack_mm
        call = partial(of_cuda, inputs, packed, GROUP, pairs)
        return Product(size, call, "aten::_weight_int4pack_mm")
    packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(unsigned, 1)
    multiply = torch.ops.aten._weight_int4pack_mm_for_cpu
    call = partial(multiply, inputs, packed, GROUP, pairs)
    return Product(size, call, "aten::_weight_int4pack_mm_for_cpu")
