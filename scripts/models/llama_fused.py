"""The experiments on decoding and on training memory build Llama as one runs it: fused projections, and
a KV cache of fixed size for decoding. Tokens in, logits out, for a whole text or one step.

Llama Team 2024 (arXiv:2407.21783), section 3.2. Queries, keys and values are one matrix, and so are
the MLP's gate and up projections: fewer, larger products, which is what decoding wants. Weights are
random; `scripts.models.llama` reads published ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from scripts.models.attention import Kernel, causal_attention
from scripts.models.rotary import rotary_tables, rotate


@dataclass(frozen=True)
class LlamaConfig:
    """The shape of a model, under the names of a published config.json."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    intermediate_size: int
    rope_theta: float = 500_000.0
    rms_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.hidden_size // self.num_attention_heads


@dataclass
class KVCache:
    """Keys and values of every layer, (layers, sequences, heads, most tokens, head_dim)."""

    keys: Tensor
    values: Tensor

    @classmethod
    def empty(cls, config: LlamaConfig, *, sequences: int, tokens: int, like: Tensor) -> KVCache:
        """A cache of zeros, in the dtype and on the device of `like`."""
        shape = (
            config.num_hidden_layers,
            sequences,
            config.num_key_value_heads,
            tokens,
            config.head_dim,
        )
        return cls(like.new_zeros(shape), like.new_zeros(shape))


class FusedRMSNorm(torch.autograd.Function):
    """RMS norm that keeps its input and one number per token, as PyTorch's CUDA kernel does.

    On a CPU PyTorch composes it from simple operations, which keep two FP32 copies instead.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        """`x` (…, width) scaled to a mean square of one, times `weight` (width,)."""
        inverse = x.float().square().mean(-1, keepdim=True).add_(eps).rsqrt_()
        ctx.save_for_backward(x, weight, inverse)
        return (x * inverse).to(x.dtype) * weight

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        """Gradients of the input and of the weight."""
        x, weight, inverse = ctx.saved_tensors
        unit = x * inverse
        inward = gradients[0] * weight
        along = (inward * unit).mean(-1, keepdim=True)
        outer = (gradients[0] * unit).flatten(0, -2).sum(0)
        return (inverse * (inward - unit * along)).to(x.dtype), outer.to(weight.dtype), None


class RMSNorm(nn.Module):
    """Zhang and Sennrich 2019 (arXiv:1910.07467), equation 4."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        if torch.is_grad_enabled():
            return cast(Tensor, FusedRMSNorm.apply(x, self.weight, self.eps))
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps)


class Attention(nn.Module):
    """Grouped-query attention; queries, keys and values from one matrix."""

    def __init__(self, config: LlamaConfig, kernel: Kernel) -> None:
        super().__init__()
        self.heads, self.kv_heads = config.num_attention_heads, config.num_key_value_heads
        self.head_dim, self.kernel = config.head_dim, kernel
        self.recompute = False
        rows = (self.heads + 2 * self.kv_heads) * self.head_dim
        self.qkv_proj = nn.Linear(config.hidden_size, rows, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, config.hidden_size, bias=False)

    def split(self, x: Tensor, cosines: Tensor, sines: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, (sequences, heads, tokens, head_dim), rotated."""
        sequences, tokens, _ = x.shape
        fused = self.qkv_proj(x).view(sequences, tokens, -1, self.head_dim).transpose(1, 2)
        query, key, value = fused.split((self.heads, self.kv_heads, self.kv_heads), dim=1)
        return rotate(query, cosines, sines), rotate(key, cosines, sines), value

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        query, key, value = self.split(x, cosines, sines)
        if self.recompute:
            mixed = checkpoint(self.core, query, key, value, use_reentrant=False)
        else:
            mixed = self.core(query, key, value)
        return cast(Tensor, self.o_proj(mixed))

    def core(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """What selective recomputation drops and computes again."""
        mixed = causal_attention(query, key, value, kernel=self.kernel)
        return mixed.transpose(1, 2).flatten(2)

    def step(
        self,
        x: Tensor,
        cosines: Tensor,
        sines: Tensor,
        *,
        keys: Tensor,
        values: Tensor,
        position: Tensor,
        visible: Tensor,
    ) -> Tensor:
        """One token of each sequence, at `position` (1,); `visible` (1, tokens) masks the cache."""
        query, key, value = self.split(x, cosines, sines)
        keys.index_copy_(2, position, key)
        values.index_copy_(2, position, value)
        # Written out: for one query per head, the fused CPU kernel takes several times as long.
        grouped = query.unflatten(1, (self.kv_heads, -1)).squeeze(3)
        scores = (grouped * self.head_dim**-0.5) @ keys.transpose(-2, -1)
        weights = scores.masked_fill_(~visible, -math.inf).softmax(dim=-1)
        mixed = weights @ values  # (sequences, kv_heads, heads of each, head_dim)
        return cast(Tensor, self.o_proj(mixed.flatten(1)[:, None]))


class MLP(nn.Module):
    """The gated MLP, gate and up projection in one matrix."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.gate_up_proj = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        gate, up = self.gate_up_proj(x).chunk(2, dim=-1)
        return cast(Tensor, self.down_proj(F.silu(gate) * up))


class Layer(nn.Module):
    """Attention, then MLP, each behind its norm and added to the stream."""

    def __init__(self, config: LlamaConfig, kernel: Kernel = "sdpa") -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = Attention(config, kernel)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = MLP(config)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        x = x + self.self_attn(self.input_layernorm(x), cosines, sines)
        return x + cast(Tensor, self.mlp(self.post_attention_layernorm(x)))

    def step(
        self,
        x: Tensor,
        cosines: Tensor,
        sines: Tensor,
        *,
        keys: Tensor,
        values: Tensor,
        position: Tensor,
        visible: Tensor,
    ) -> Tensor:
        """The same for one more token of each sequence (see Attention.step)."""
        x = x + self.self_attn.step(
            self.input_layernorm(x),
            cosines,
            sines,
            keys=keys,
            values=values,
            position=position,
            visible=visible,
        )
        return x + cast(Tensor, self.mlp(self.post_attention_layernorm(x)))


class Llama(nn.Module):
    """Tokens (sequences, tokens) in, logits (sequences, tokens, vocab_size) out."""

    def __init__(
        self, config: LlamaConfig, *, kernel: Kernel = "sdpa", recompute: bool = False
    ) -> None:
        super().__init__()
        self.config, self.recompute = config, recompute
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config, kernel) for _ in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, tokens, vocab_size)."""
        x = self.embed_tokens(tokens)
        cosines, sines = self.rotary_tables(tokens.shape[1], like=x)
        for layer in self.layers:
            if self.recompute:
                x = checkpoint(layer, x, cosines, sines, use_reentrant=False)
            else:
                x = layer(x, cosines, sines)
        return cast(Tensor, self.lm_head(self.norm(x)))

    def cache_bytes_per_token(self) -> int:
        """Keys and values that one token of one sequence leaves behind, all layers together."""
        element = self.norm.weight.element_size()
        config = self.config
        return 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim * element

    def rotary_tables(self, tokens: int, *, like: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines of positions 0 to `tokens` - 1, (tokens, head_dim)."""
        return rotary_tables(
            tokens, rotary_dim=self.config.head_dim, base=self.config.rope_theta, like=like
        )

    def step(
        self, tokens: Tensor, *, cache: KVCache, position: Tensor, cosines: Tensor, sines: Tensor
    ) -> Tensor:
        """Logits (sequences, vocab_size) after one more token of each sequence, (sequences, 1).

        `position` (1,) is where it stands; every shape stays the same from step to step, so that
        a CUDA graph can replay it.
        """
        x = self.embed_tokens(tokens)
        visible = (torch.arange(cache.keys.shape[3], device=x.device) <= position)[None]
        here = cosines[position], sines[position]
        layers = cast(Iterable[Layer], self.layers)
        for layer, keys, values in zip(layers, cache.keys, cache.values, strict=True):
            x = layer.step(x, *here, keys=keys, values=values, position=position, visible=visible)
        return cast(Tensor, self.lm_head(self.norm(x)))[:, -1]
