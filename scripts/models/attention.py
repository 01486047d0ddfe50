"""The decoders of this room hand it queries, keys and values, (sequences, heads, tokens, head_dim), and
the name of a kernel; back comes what each token attends to, the same shape as the queries.

The CUDA kernels are named outright, not chosen by PyTorch: their shape functions say what they keep
on fake tensors too, so that memory can be accounted for without a GPU.
"""

from __future__ import annotations

import math
from typing import Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend

Kernel = Literal["materialised", "sdpa", "flash", "efficient"]


def causal_attention(
    query: Tensor, key: Tensor, value: Tensor, *, kernel: Kernel, dropout: float = 0.0
) -> Tensor:
    """Attention of each token to itself and those before it; keys may have fewer heads."""
    if kernel == "sdpa":
        return F.scaled_dot_product_attention(
            query, key, value, dropout_p=dropout, is_causal=True, enable_gqa=True
        )
    query, key, value = _as_autocast(query), _as_autocast(key), _as_autocast(value)
    groups = query.shape[1] // key.shape[1]
    if kernel == "flash":
        attend = torch.ops.aten._scaled_dot_product_flash_attention
        return cast(Tensor, attend(query, key, value, dropout, True)[0])
    if groups > 1:
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    if kernel == "efficient":
        attend = torch.ops.aten._scaled_dot_product_efficient_attention
        return cast(Tensor, attend(query, key, value, None, True, dropout, True)[0])
    return _materialised(query, key, value, dropout=dropout)


def chosen_kernel(query: Tensor, key: Tensor, value: Tensor) -> str:
    """The kernel that PyTorch chooses for "sdpa" on this device, such as "flash_attention".

    The choice depends on the card, the format, the width of a head and whether heads share keys.
    """
    choice = torch._fused_sdp_choice(query, key, value, is_causal=True, enable_gqa=True)
    return SDPBackend(choice).name.lower()


def _as_autocast(x: Tensor) -> Tensor:
    """What autocast does to the inputs of the kernel that PyTorch would choose."""
    kind = x.device.type
    return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x


def _materialised(query: Tensor, key: Tensor, value: Tensor, *, dropout: float) -> Tensor:
    """Every score stored: softmax(q kᵀ / √d) v, written out."""
    tokens = query.shape[-2]
    later = torch.full((tokens, tokens), -math.inf, dtype=query.dtype, device=query.device).triu(1)
    # Scaled before the product and masked in place: scores are not kept, only their softmax.
    scores = (query * (1 / math.sqrt(query.shape[-1]))) @ key.transpose(-2, -1)
    return drop(scores.add_(later).softmax(dim=-1), dropout) @ value


def drop(x: Tensor, probability: float) -> Tensor:
    """Dropout that keeps a mask of one byte per element, as CUDA's does, on any device."""
    if probability == 0:
        return x
    return torch.native_dropout(x, probability, True)[0]
