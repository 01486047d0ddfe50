"""Tiled kernels in Triton: on a GPU for real, and in Triton's interpreter on any CPU.

`scripts/experiments/tiled_kernels` imports it where the optional package is installed, hands each
function tensors and gets the result. Whoever wants the interpreter sets TRITON_INTERPRET=1 first.
"""

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

jit: Callable[..., Any] = triton.jit  # whose type says nothing of launching


@jit
def _matmul(
    first: Any, second: Any, product: Any, rows: Any, columns: Any, inner: Any, TILE: tl.constexpr
) -> None:
    top = tl.program_id(0) * TILE + tl.arange(0, TILE)
    left = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, inner, TILE):
        along = start + tl.arange(0, TILE)
        inside = (top[:, None] < rows) & (along[None, :] < inner)
        across = tl.load(first + top[:, None] * inner + along[None, :], mask=inside, other=0.0)
        inside = (along[:, None] < inner) & (left[None, :] < columns)
        down = tl.load(second + along[:, None] * columns + left[None, :], mask=inside, other=0.0)
        total = tl.dot(across, down, total)
    inside = (top[:, None] < rows) & (left[None, :] < columns)
    tl.store(product + top[:, None] * columns + left[None, :], total.to(tl.float16), mask=inside)


def matmul(first: Tensor, second: Tensor, *, tile: int) -> Tensor:
    """The product of two FP16 matrices, a `tile` × `tile` part of it for each program."""
    (rows, inner), columns = first.shape, second.shape[1]
    product = torch.empty((rows, columns), dtype=torch.float16, device=first.device)
    grid = (triton.cdiv(rows, tile), triton.cdiv(columns, tile))
    _matmul[grid](first, second, product, rows, columns, inner, TILE=tile)
    return product


@jit
def _softmax(rows: Any, result: Any, width: Any, BLOCK: tl.constexpr) -> None:
    begin = tl.program_id(0) * width
    largest = tl.full((1,), float("-inf"), tl.float32)
    total = tl.zeros((1,), tl.float32)
    for start in range(0, width, BLOCK):
        along = start + tl.arange(0, BLOCK)
        part = tl.load(rows + begin + along, mask=along < width, other=float("-inf"))
        seen = tl.maximum(largest, tl.max(part.to(tl.float32), axis=0))
        total = total * tl.exp(largest - seen) + tl.sum(tl.exp(part.to(tl.float32) - seen), axis=0)
        largest = seen
    for start in range(0, width, BLOCK):
        along = start + tl.arange(0, BLOCK)
        part = tl.load(rows + begin + along, mask=along < width, other=float("-inf"))
        share = tl.exp(part.to(tl.float32) - largest) / total
        tl.store(result + begin + along, share.to(tl.float16), mask=along < width)


def softmax(rows: Tensor, *, block: int) -> Tensor:
    """The softmax of each row of an FP16 matrix, online: each program has a row, `block` at a time."""
    result = torch.empty_like(rows)
    _softmax[(len(rows),)](rows, result, rows.shape[1], BLOCK=block)
    return result


@jit
def _attention(
    queries: Any,
    keys: Any,
    values: Any,
    result: Any,
    tokens: Any,
    scale: Any,
    WIDTH: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    head = tl.program_id(1) * tokens * WIDTH
    own = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    across = tl.arange(0, WIDTH)
    places = head + own[:, None] * WIDTH + across[None, :]
    asked = tl.load(queries + places, mask=own[:, None] < tokens, other=0.0)
    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    summed = tl.zeros((BLOCK, WIDTH), tl.float32)
    for start in range(0, tokens, BLOCK):
        others = start + tl.arange(0, BLOCK)
        there = others < tokens
        at = head + others[:, None] * WIDTH + across[None, :]
        key = tl.load(keys + at, mask=there[:, None], other=0.0)
        scores = tl.dot(asked, tl.trans(key)) * scale
        scores = tl.where(there[None, :], scores, float("-inf"))
        seen = tl.maximum(largest, tl.max(scores, axis=1))
        powers, kept = tl.exp(scores - seen[:, None]), tl.exp(largest - seen)
        total = total * kept + tl.sum(powers, axis=1)
        value = tl.load(values + at, mask=there[:, None], other=0.0)
        summed = summed * kept[:, None] + tl.dot(powers.to(tl.float16), value)
        largest = seen
    tl.store(result + places, (summed / total[:, None]).to(tl.float16), mask=own[:, None] < tokens)


def attention(queries: Tensor, keys: Tensor, values: Tensor, *, block: int) -> Tensor:
    """Attention of FP16 heads (heads, tokens, width), `block` queries for each program, no mask.

    The width must be a power of two, from 16 up.
    """
    heads, tokens, width = queries.shape
    result = torch.empty_like(queries)
    grid = (triton.cdiv(tokens, block), heads)
    scale = width**-0.5
    # Two stages of keys and values, not three: with heads of 128 those exceed the 100 KB that the cores of
    # an RTX 3060 or 4090 share.
    sizes = {"WIDTH": width, "BLOCK": block, "num_stages": 2}
    _attention[grid](queries, keys, values, result, tokens, scale, **sizes)
    return result


@jit
def _int4_matvec(
    packed: Any,
    scales: Any,
    vector: Any,
    result: Any,
    rows: Any,
    GROUP: tl.constexpr,
    GROUPS: tl.constexpr,
    ROWS: tl.constexpr,
) -> None:
    own = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = own < rows
    half: tl.constexpr = GROUP // 2
    total = tl.zeros((ROWS,), tl.float32)
    for group in range(GROUPS):
        pairs = group * half + tl.arange(0, half)
        at = own[:, None] * (GROUPS * half) + pairs[None, :]
        both = tl.load(packed + at, mask=there[:, None], other=0)
        low, high = (both & 15).to(tl.float32) - 8, (both >> 4).to(tl.float32) - 8
        even = tl.load(vector + 2 * pairs).to(tl.float32)
        odd = tl.load(vector + 2 * pairs + 1).to(tl.float32)
        factor = tl.load(scales + own * GROUPS + group, mask=there, other=0.0).to(tl.float32)
        total += factor * tl.sum(low * even[None, :] + high * odd[None, :], axis=1)
    tl.store(result + own, total.to(tl.float16), mask=there)


def int4_matvec(packed: Tensor, scales: Tensor, vector: Tensor, *, rows: int) -> Tensor:
    """A matrix of four-bit weights, packed as in snippets/counted_kernels.py, times an FP16 vector.

    Each program has so many `rows`; the scales are FP16, one for each group of a row.
    """
    groups = scales.shape[1]
    result = torch.empty(len(packed), dtype=torch.float16, device=packed.device)
    grid = (triton.cdiv(len(packed), rows),)
    group = 2 * packed.shape[1] // groups
    _int4_matvec[grid](
        packed, scales, vector, result, len(packed), GROUP=group, GROUPS=groups, ROWS=rows
    )
    return result
