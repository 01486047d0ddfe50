"""The accounting of activations builds one GPT layer from a GPTConfig and runs it: the layer whose
activations Korthikanti et al. 2022 count (arXiv:2205.05198, figure 2).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from scripts.models.attention import Kernel, causal_attention, drop


@dataclass(frozen=True)
class GPTConfig:
    """The shape of a layer, and how its attention is computed; `dropout` is a probability."""

    hidden_size: int
    num_attention_heads: int
    kernel: Kernel
    dropout: float = 0.0
    recompute_attention: bool = False


class Attention(nn.Module):
    """Multi-head attention with one fused projection and dropout behind it."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.query_key_value = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        sequences, tokens, width = x.shape
        heads = self.config.num_attention_heads
        fused = self.query_key_value(x).view(sequences, tokens, 3, heads, width // heads)
        query, key, value = fused.transpose(1, 3).unbind(2)
        if self.config.recompute_attention:
            mixed = checkpoint(self.core, query, key, value, use_reentrant=False)
        else:
            mixed = self.core(query, key, value)
        return drop(self.dense(mixed), self.config.dropout)

    def core(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """What selective recomputation drops and computes again: all that grows with tokens²."""
        mixed = causal_attention(
            query, key, value, kernel=self.config.kernel, dropout=self.config.dropout
        )
        return mixed.transpose(1, 2).flatten(2)


class MLP(nn.Module):
    """Two matmuls with GELU between them, four times as wide inside."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.dense_h_to_4h = nn.Linear(config.hidden_size, 4 * config.hidden_size)
        self.dense_4h_to_h = nn.Linear(4 * config.hidden_size, config.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        return drop(self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(x))), self.dropout)


class Layer(nn.Module):
    """Hidden states (sequences, tokens, hidden_size) in and out."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.input_layernorm = nn.LayerNorm(config.hidden_size)
        self.attention = Attention(config)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden_size)
        self.mlp = MLP(config)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        x = x + self.attention(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))
