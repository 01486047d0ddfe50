"""The decoders of this room ask for cosines and sines of so many positions, and rotate queries and keys
by them: Su et al. 2021 (arXiv:2104.09864), section 3.4.2.
"""

from __future__ import annotations

import torch
from torch import Tensor


def rotary_tables(
    tokens: int, *, rotary_dim: int, base: float, like: Tensor
) -> tuple[Tensor, Tensor]:
    """Cosines and sines, (tokens, rotary_dim), computed in FP32, on the device and in the dtype of `like`."""
    exponents = torch.arange(0, rotary_dim, 2, dtype=torch.float32, device=like.device) / rotary_dim
    positions = torch.arange(tokens, dtype=torch.float32, device=like.device)
    angles = torch.outer(positions, base**-exponents)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos().to(like.dtype), angles.sin().to(like.dtype)


def rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Rotate the first `cosines.shape[-1]` of each head's dimensions; x: (..., tokens, head_dim)."""
    rotary_dim = cosines.shape[-1]
    turned, rest = x[..., :rotary_dim], x[..., rotary_dim:]
    first, second = turned.chunk(2, dim=-1)
    turned = turned * cosines + torch.cat((-second, first), dim=-1) * sines
    return torch.cat((turned, rest), dim=-1) if rest.shape[-1] else turned
