"""The engine and its draft models hand it chunks of several sequences; back come the logits that they want.

A chunk is some tokens that follow what is in the cache already: a whole prompt, a part of one, the last
token that was generated, or that and guesses behind it. All chunks pass through each matrix together;
attention is each sequence's own, over its slots of the cache. The output head computes only rows that a
token is drawn from: none of a prompt but its last.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from scripts.models.checkpoints import CausalModel
from scripts.models.gpt_neox import GPTNeoX
from scripts.models.rotary import rotary_tables, rotate
from scripts.serving.paged_cache import CacheShape, PagedCache


@dataclass(frozen=True)
class Chunk:
    """`tokens` at the positions from `start` on; `slots` of the cache for all positions so far.

    Logits are computed for the last `wanted` of the tokens.
    """

    tokens: list[int]
    start: int
    slots: list[int]
    wanted: int


def cache_shape(model: CausalModel) -> CacheShape:
    """What a token leaves in the cache of a model."""
    config = model.config
    kv_heads = getattr(config, "num_key_value_heads", config.num_attention_heads)
    return CacheShape(config.num_hidden_layers, kv_heads, config.head_dim)


@torch.inference_mode()
def forward(model: CausalModel, cache: PagedCache, chunks: list[Chunk]) -> list[Tensor]:
    """Logits (wanted, vocab_size) of each chunk, whose keys and values are in the cache then."""
    parts = _parts(model)
    device = parts.embedding.weight.device
    tokens = torch.tensor([token for chunk in chunks for token in chunk.tokens], device=device)
    places = torch.tensor(
        [chunk.start + i for chunk in chunks for i in range(len(chunk.tokens))], device=device
    )
    slots = torch.tensor(
        [slot for chunk in chunks for slot in chunk.slots[chunk.start :]], device=device
    )
    groups = _groups(chunks, device)
    x = parts.embedding(tokens)
    cosines, sines = rotary_tables(
        int(places.max()) + 1, rotary_dim=parts.rotary_dim, base=parts.rotary_base, like=x
    )
    cosines, sines = cosines[places, None], sines[places, None]
    for number, layer in enumerate(parts.layers):
        query, key, value = _projected(layer, x)
        query, key = rotate(query, cosines, sines), rotate(key, cosines, sines)
        cache.write(number, slots, key, value)
        mixed = torch.empty_like(query)
        for rows, read, visible in groups:
            keys, values = cache.read(number, read)  # 2 x kv_heads x head_dim of each token before
            mixed[rows] = F.scaled_dot_product_attention(
                query[rows].transpose(1, 2),
                keys.transpose(1, 2),
                values.transpose(1, 2),
                attn_mask=visible,
                enable_gqa=True,
            ).transpose(1, 2)
        x = _finished(layer, x, mixed.flatten(1))
    last = x.split([len(chunk.tokens) for chunk in chunks])
    wanted = [rows[len(rows) - chunk.wanted :] for rows, chunk in zip(last, chunks, strict=True)]
    logits: Tensor = parts.head(parts.norm(torch.cat(wanted)))
    return list(logits.split([chunk.wanted for chunk in chunks]))


def _groups(chunks: list[Chunk], device: torch.device) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Chunks of one length attend together: rows of their tokens (sequences, tokens), slots to read,
    padded to the longest context, and which of those each token sees."""
    by_length: dict[int, list[tuple[int, Chunk]]] = defaultdict(list)
    row = 0
    for chunk in chunks:
        by_length[len(chunk.tokens)].append((row, chunk))
        row += len(chunk.tokens)
    groups = []
    for length, members in by_length.items():
        longest = max(len(chunk.slots) for _, chunk in members)
        rows = torch.tensor([range(first, first + length) for first, _ in members], device=device)
        padded = [chunk.slots + [0] * (longest - len(chunk.slots)) for _, chunk in members]
        starts = torch.tensor([chunk.start for _, chunk in members], device=device)
        last_seen = starts[:, None] + torch.arange(length, device=device)
        visible = torch.arange(longest, device=device) <= last_seen[:, None, :, None]
        groups.append((rows, torch.tensor(padded, device=device), visible))
    return groups


@dataclass(frozen=True)
class _Parts:
    """The same parts of either architecture."""

    embedding: Any
    layers: Any
    norm: Any
    head: Any
    rotary_dim: int
    rotary_base: float


def _parts(model: CausalModel) -> _Parts:
    if isinstance(model, GPTNeoX):
        body, own = model.gpt_neox, model.config
        rotary = own.rotary_dim, own.rotary_emb_base
        return _Parts(body.embed_in, body.layers, body.final_layer_norm, model.embed_out, *rotary)
    inner, config = model.model, model.config
    rotary = config.head_dim, config.rope_theta
    return _Parts(inner.embed_tokens, inner.layers, inner.norm, model.lm_head, *rotary)


def _projected(layer: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values (tokens, heads, head_dim) of a layer's input."""
    normed = layer.input_layernorm(x)
    if hasattr(layer, "attention"):  # GPT-NeoX: each head's three lie together
        attention = layer.attention
        fused = attention.query_key_value(normed).unflatten(-1, (attention.heads, -1))
        return cast("tuple[Tensor, Tensor, Tensor]", fused.chunk(3, dim=-1))
    attention = layer.self_attn
    query, key, value = (
        matrix(normed).unflatten(-1, (-1, attention.head_dim))
        for matrix in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    return query, key, value


def _finished(layer: Any, x: Tensor, mixed: Tensor) -> Tensor:
    """A layer's output from its input and what its heads attended to."""
    if hasattr(layer, "attention"):
        attended = layer.attention.dense(mixed)
        between = x if layer.parallel else x + attended
        return cast(Tensor, x + attended + layer.mlp(layer.post_attention_layernorm(between)))
    x = x + layer.self_attn.o_proj(mixed)
    return cast(Tensor, x + layer.mlp(layer.post_attention_layernorm(x)))
