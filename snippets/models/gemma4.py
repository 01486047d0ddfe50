"""Gemma 4: wider heads where attention is full, shared caches, inputs of each layer's own, experts."""

from dataclasses import replace

from snippets.models.blocks import Block, attention, experts, matrix, mlp, vector
from snippets.models.configuration import (
    Configuration,
    flag,
    section,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import (
    FULL,
    SLIDING,
    Decoder,
    Shape,
    compose,
    every,
    layer_types,
    shape,
    tied,
)
from snippets.models.model import Tensor


def gemma4(config: Configuration) -> Decoder:
    """The last `num_kv_shared_layers` layers use the cache of an earlier one of their kind."""
    found = shape(config)
    types = layer_types(config, found.layers, every(found.layers, 6))
    if types[-1] != FULL:
        types = [*types[:-1], FULL]
    global_heads(config, [i for i in range(found.layers) if types[i] == FULL])
    sharing = found.layers - whole_or_zero(config, "num_kv_shared_layers")
    own = ["own" if i < sharing else "shared" for i in range(found.layers)]
    double = 2 if flag(config, "use_double_wide_mlp") else 1
    mlps = {
        "own": feed_forward(config, found, found.width),
        "shared": feed_forward(config, found, double * found.width),
    }
    mixers = {
        f"{kind} {cache}": head_attention(config, found, kind, own_cache=cache == "own")
        for kind in (FULL, SLIDING)
        for cache in ("own", "shared")
    }
    extra = 3 if flag(config, "enable_moe_block") else 0
    inputs = whole_or_zero(config, "hidden_size_per_layer_input")
    composed = compose(
        found.hidden,
        mixers,
        mlps,
        [f"{types[i]} {own[i]}" for i in range(found.layers)],
        own,
        norms=4 + extra + (1 if inputs else 0),
    )
    around: list[Tensor] = []
    if inputs:
        rows = whole(config, "vocab_size_per_layer_input")
        wide = found.layers * inputs
        around += matrix("layer_embedding", "positions", rows, wide)
        around += matrix("layer_projection", "mlp", found.hidden, wide, pieces=1)
        around += [vector("layer_norm", "norms", inputs)]
    return Decoder(
        shape=found,
        kinds=composed["kinds"],
        order=composed["order"],
        tied=tied(config),
        around=around,
    )


def global_heads(config: Configuration, full: list[int]) -> None:
    """Take the heads of full attention from `per_layer_config`, where a file was saved with it."""
    said = section(config, "per_layer_config")
    if not said:
        return
    held = list(said.values())
    first = held[-1]
    same = all(each == first for each in held)
    if not same or [float(each) for each in said] != full or not isinstance(first, dict):
        raise ValueError("per_layer_config must say the same of each layer with full attention")
    for key in first:
        if key not in ("head_dim", "num_key_value_heads"):
            raise ValueError(f"per_layer_config: {key} of a layer is not known here")
        config.given[f"global_{key}" if key == "head_dim" else f"num_global_{key[4:]}"] = first[key]


def head_attention(config: Configuration, found: Shape, kind: str, *, own_cache: bool) -> Block:
    """Attention with a window, or full with heads of another width; keys may serve as values."""
    bias = flag(config, "attention_bias")
    full = kind == FULL
    head_dim, kv_heads, shared = found.head_dim, found.kv_heads, False
    if full:
        head_dim = whole(config, "global_head_dim", default=512)
        shared = flag(config, "attention_k_eq_v")
        if shared:
            kv_heads = whole(config, "num_global_key_value_heads", default=kv_heads)
    return attention(
        found.hidden,
        found.heads,
        kv_heads,
        head_dim,
        bias=bias,
        output_bias=bias,
        query_norm=head_dim,
        key_norm=head_dim,
        values=not shared,
        own_cache=own_cache,
        window=0 if full else whole_or_zero(config, "sliding_window"),
    )


def feed_forward(config: Configuration, found: Shape, width: int) -> Block:
    """An MLP, perhaps experts beside it, perhaps the layer's own input after it."""
    block = mlp(found.hidden, width)
    if flag(config, "enable_moe_block"):
        count = whole(config, "num_experts")
        sparse = experts(
            found.hidden,
            count,
            whole(config, "top_k_experts"),
            whole(config, "moe_intermediate_size", "expert_intermediate_size"),
            router_vectors=found.hidden + count,
        )
        block = replace(
            block,
            tensors=block.tensors + sparse.tensors,
            kept=block.kept + sparse.kept,
            widest=block.widest + sparse.widest,
        )
    inputs = whole_or_zero(config, "hidden_size_per_layer_input")
    if inputs:
        gate = matrix("input_gate", "mlp", found.hidden, inputs, pieces=1)
        gate += matrix("input_projection", "mlp", inputs, found.hidden, pieces=1)
        block = replace(block, tensors=block.tensors + gate, kept=block.kept + 3 * inputs)
    if value(config, "use_bidirectional_attention") == "all":
        raise ValueError("use_bidirectional_attention: not a decoder")
    return block
