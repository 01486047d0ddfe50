"""Checkpoints and the accounting of memory build GPT-NeoX, the architecture of Pythia, from its published
configuration: parallel residual, partial rotary embedding. Tokens in, logits out.

Parameter names and the layout of the fused query-key-value matrix are those of published
checkpoints (`EleutherAI/pythia-*`), so their safetensors load without translation.
Black et al. 2022 (arXiv:2204.06745), section 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from scripts.models.rotary import rotary_tables, rotate


@dataclass(frozen=True)
class GPTNeoXConfig:
    """The fields of a published config.json that the model needs, under their published names."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    rotary_pct: float = 0.25
    rotary_emb_base: float = 10000.0
    layer_norm_eps: float = 1e-5
    use_parallel_residual: bool = True
    tie_word_embeddings: bool = False

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.hidden_size // self.num_attention_heads

    @property
    def rotary_dim(self) -> int:
        """How many dimensions of each head are rotated."""
        return int(self.head_dim * self.rotary_pct)


class Attention(nn.Module):
    """Multi-head attention; queries, keys and values from one matrix."""

    def __init__(self, config: GPTNeoXConfig) -> None:
        super().__init__()
        self.heads = config.num_attention_heads
        self.head_dim = config.head_dim
        self.query_key_value = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        batch, tokens, width = x.shape
        # Each head's query, key and value rows lie together, head after head.
        fused = self.query_key_value(x).view(batch, tokens, self.heads, 3 * self.head_dim)
        query, key, value = fused.transpose(1, 2).chunk(3, dim=-1)
        query, key = rotate(query, cosines, sines), rotate(key, cosines, sines)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.dense(mixed.transpose(1, 2).reshape(batch, tokens, width))


class MLP(nn.Module):
    """Two matmuls with GELU between them."""

    def __init__(self, config: GPTNeoXConfig) -> None:
        super().__init__()
        self.dense_h_to_4h = nn.Linear(config.hidden_size, config.intermediate_size)
        self.dense_4h_to_h = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        return self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(x)))


class Layer(nn.Module):
    """Attention and MLP, both on the layer's input where the residual is parallel."""

    def __init__(self, config: GPTNeoXConfig, dropout: float) -> None:
        super().__init__()
        self.parallel = config.use_parallel_residual
        self.dropout = nn.Dropout(dropout)
        self.input_layernorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.attention = Attention(config)
        self.mlp = MLP(config)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        attended = self.dropout(self.attention(self.input_layernorm(x), cosines, sines))
        if self.parallel:
            return x + attended + self.dropout(self.mlp(self.post_attention_layernorm(x)))
        x = x + attended
        return x + self.dropout(self.mlp(self.post_attention_layernorm(x)))


class Decoder(nn.Module):
    """Tokens (batch, tokens) in, normed hidden states out."""

    def __init__(self, config: GPTNeoXConfig, dropout: float) -> None:
        super().__init__()
        self.config = config
        self.embed_in = nn.Embedding(config.vocab_size, config.hidden_size)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(config, dropout) for _ in range(config.num_hidden_layers))
        self.final_layer_norm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        """Hidden states (batch, tokens, hidden_size) after the last norm."""
        x = self.dropout(self.embed_in(tokens))
        cosines, sines = rotary_tables(
            tokens.shape[1],
            rotary_dim=self.config.rotary_dim,
            base=self.config.rotary_emb_base,
            like=x,
        )
        for layer in self.layers:
            x = layer(x, cosines, sines)
        return self.final_layer_norm(x)


class GPTNeoX(nn.Module):
    """Tokens (batch, tokens) in, logits (batch, tokens, vocab_size) out."""

    def __init__(self, config: GPTNeoXConfig, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.gpt_neox = Decoder(config, dropout)
        self.embed_out = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.embed_out.weight = self.gpt_neox.embed_in.weight

    @property
    def layers(self) -> nn.ModuleList:
        """The decoder layers, the lowest first."""
        return self.gpt_neox.layers

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, tokens, vocab_size)."""
        return self.embed_out(self.gpt_neox(tokens))
