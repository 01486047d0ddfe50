"""Checkpoints build Llama and its many relatives from a published configuration: RMS norm, rotary
embedding, grouped queries, gated MLP. Tokens in, logits out.

Parameter names are those of published checkpoints (`meta-llama/*`, `HuggingFaceTB/SmolLM2-*`).
Touvron et al. 2023 (arXiv:2302.13971), section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from scripts.models.rotary import rotary_tables, rotate


@dataclass(frozen=True)
class LlamaConfig:
    """The fields of a published config.json that the model needs, under their published names."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    intermediate_size: int
    max_position_embeddings: int
    head_dim: int
    rope_theta: float = 10000.0
    rms_norm_eps: float = 1e-6
    tie_word_embeddings: bool = False


class RMSNorm(nn.Module):
    """Zhang and Sennrich 2019 (arXiv:1910.07467), equation 4, in FP32."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        wide = x.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)


class Attention(nn.Module):
    """Grouped-query attention without biases."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        queries = config.num_attention_heads * config.head_dim
        keys = config.num_key_value_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, queries, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, keys, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, keys, bias=False)
        self.o_proj = nn.Linear(queries, config.hidden_size, bias=False)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        batch, tokens, _ = x.shape

        def heads(projection: nn.Linear) -> Tensor:
            return projection(x).view(batch, tokens, -1, self.head_dim).transpose(1, 2)

        query = rotate(heads(self.q_proj), cosines, sines)
        key = rotate(heads(self.k_proj), cosines, sines)
        mixed = F.scaled_dot_product_attention(
            query, key, heads(self.v_proj), is_causal=True, enable_gqa=True
        )
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, tokens, -1))


class MLP(nn.Module):
    """The gated MLP: down(silu(gate(x)) * up(x))."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    """Attention, then MLP, each behind its norm and added to the stream."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = MLP(config)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        x = x + self.self_attn(self.input_layernorm(x), cosines, sines)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    """Tokens (batch, tokens) in, normed hidden states out."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        """Hidden states (batch, tokens, hidden_size) after the last norm."""
        x = self.embed_tokens(tokens)
        cosines, sines = rotary_tables(
            tokens.shape[1], rotary_dim=self.config.head_dim, base=self.config.rope_theta, like=x
        )
        for layer in self.layers:
            x = layer(x, cosines, sines)
        return self.norm(x)


class Llama(nn.Module):
    """Tokens (batch, tokens) in, logits (batch, tokens, vocab_size) out."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.model.embed_tokens.weight

    @property
    def layers(self) -> nn.ModuleList:
        """The decoder layers, the lowest first."""
        return self.model.layers

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, tokens, vocab_size)."""
        return self.lm_head(self.model(tokens))
