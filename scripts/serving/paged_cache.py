"""The forward pass writes each token's keys and values here, by slot, and reads those of a sequence.

Slot number page x page_tokens + offset. In "int8" and "int4" each group of 32 numbers of a head is kept
as integers and one FP16 scale, by the rule of `snippets.quantization`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

GROUP = 32
BITS = {"int8": 8, "int4": 4}
FORMATS = ("native", *BITS)


@dataclass(frozen=True)
class CacheShape:
    """What one token leaves behind: keys and values, in every layer, of every key-value head."""

    layers: int
    kv_heads: int
    head_dim: int

    def bits_per_number(self, stored: str, dtype: torch.dtype) -> float:
        """Bits of one key's or value's number, its share of the scale included."""
        return BITS[stored] + 16 / GROUP if stored in BITS else 8 * dtype.itemsize

    def bytes_per_token(self, stored: str, dtype: torch.dtype) -> float:
        """Bytes of all keys and values of one token."""
        numbers = 2 * self.layers * self.kv_heads * self.head_dim
        return numbers * self.bits_per_number(stored, dtype) / 8


class PagedCache:
    """Keys and values in `slots` slots, as the model computes them or in fewer bits.

    Raises ValueError for an unknown format, and for heads that groups of 32 do not divide.
    """

    def __init__(
        self, shape: CacheShape, *, slots: int, stored: str, dtype: torch.dtype, device: str
    ) -> None:
        if stored not in FORMATS:
            raise ValueError(f"cache format {stored!r}: use one of {', '.join(FORMATS)}")
        if stored in BITS and shape.head_dim % GROUP:
            raise ValueError(f"heads of {shape.head_dim} do not divide into groups of {GROUP}")
        self.shape, self.stored, self.dtype = shape, stored, dtype
        size = (2, shape.layers, slots, shape.kv_heads)
        if stored == "native":
            self.numbers = torch.zeros(*size, shape.head_dim, dtype=dtype, device=device)
            self.scales = None
        else:
            packed = shape.head_dim * BITS[stored] // 8
            self.numbers = torch.zeros(*size, packed, dtype=torch.uint8, device=device)
            groups = shape.head_dim // GROUP
            self.scales = torch.zeros(*size, groups, dtype=torch.float16, device=device)

    @property
    def bytes(self) -> int:
        """What the cache takes in memory, scales included."""
        return self.numbers.nbytes + (0 if self.scales is None else self.scales.nbytes)

    def write(self, layer: int, slots: Tensor, keys: Tensor, values: Tensor) -> None:
        """Keys and values (tokens, kv_heads, head_dim), each token's to its slot."""
        for side, numbers in enumerate((keys, values)):
            if self.scales is None:
                self.numbers[side, layer].index_copy_(0, slots, numbers)
            else:
                packed, scales = _quantized(numbers, BITS[self.stored])
                self.numbers[side, layer].index_copy_(0, slots, packed)
                self.scales[side, layer].index_copy_(0, slots, scales)

    def read(self, layer: int, slots: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (sequences, tokens, kv_heads, head_dim) of `slots` (sequences, tokens)."""
        keys, values = (self._read(side, layer, slots) for side in range(2))
        return keys, values

    def _read(self, side: int, layer: int, slots: Tensor) -> Tensor:
        numbers = self.numbers[side, layer][slots]
        if self.scales is None:
            return numbers
        return _restored(numbers, self.scales[side, layer][slots], BITS[self.stored]).to(self.dtype)


def _quantized(numbers: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """(…, head_dim) as bytes, two numbers to a byte at four bits, and a scale for each group."""
    groups = numbers.float().unflatten(-1, (-1, GROUP))
    largest = 2 ** (bits - 1) - 1
    scales = (groups.abs().amax(-1) / largest).to(torch.float16)
    steps = scales.float().clamp_min(torch.finfo(torch.float32).tiny)[..., None]
    levels = (groups / steps).round().clamp(-largest, largest).flatten(-2)
    codes = (levels + largest).to(torch.uint8)
    if bits == 4:
        codes = codes[..., ::2] | codes[..., 1::2] << 4
    return codes, scales


def _restored(codes: Tensor, scales: Tensor, bits: int) -> Tensor:
    if bits == 4:
        codes = torch.stack((codes & 15, codes >> 4), dim=-1).flatten(-2)
    levels = codes.float() - (2 ** (bits - 1) - 1)
    return (levels.unflatten(-1, (-1, GROUP)) * scales.float()[..., None]).flatten(-2)
