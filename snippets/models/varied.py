"""Decoders whose layers differ in more than windows, and those that describe themselves in an own way."""

from dataclasses import replace

from snippets.models.blocks import Block, attention, experts, mlp, vector
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    listed,
    section,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import (
    CHUNKED,
    FULL,
    SLIDING,
    Decoder,
    Shape,
    compose,
    layer_types,
    shape,
    tied,
    windowed,
)
from snippets.models.routed import corrected, everywhere, grouped, routed


def hunyuan_v1_moe(config: Configuration) -> Decoder:
    """As many experts and used ones as the first layer's; a shared one as wide as an MLP."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias, normed=True)
    count = first_of(config, "num_experts")
    sparse = experts(
        found.hidden,
        count,
        first_of(config, "moe_topk"),
        first_of(config, "moe_intermediate_size", default=found.width),
        shared=first_of(config, "num_shared_expert", default=1) * found.width,
    )
    return everywhere(config, found, block, sparse)


def first_of(config: Configuration, key: str, *, default: int | None = None) -> int:
    """A whole number, or the one that all entries of a list are."""
    found = value(config, key)
    if isinstance(found, list):
        if not found or any(each != found[0] for each in found):
            raise ValueError(f"{key} that differs from layer to layer is not known here")
        config.given[key] = found[0]
    return whole(config, key, default=default)


def dbrx(config: Configuration) -> Decoder:
    """Its attention and its experts are described apart; LayerNorm of scales alone."""
    inner, outer = section(config, "ffn_config"), section(config, "attn_config")
    ffn = Configuration(
        "dbrx.ffn", inner, {"ffn_hidden_size": 3584, "moe_num_experts": 4, "moe_top_k": 1}
    )
    base = shape(config)
    kv_heads = whole(Configuration("dbrx.attn", outer, {"kv_n_heads": 1}), "kv_n_heads")
    found = replace(base, kv_heads=kv_heads, width=whole(ffn, "ffn_hidden_size"))
    count, used = whole(ffn, "moe_num_experts"), whole(ffn, "moe_top_k")
    sparse = experts(found.hidden, count, used, found.width)
    return everywhere(config, found, grouped(config, found), sparse)


def llama4(config: Configuration) -> Decoder:
    """Experts in each `interleave_moe_layer_step`-th layer, with a shared one; chunked attention."""
    base = shape(config)
    found = replace(base, width=whole(config, "intermediate_size_mlp"))
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias)
    step = whole(config, "interleave_moe_layer_step", default=1)
    named = listed(config, "moe_layers") or [i for i in range(found.layers) if (i + 1) % step == 0]
    rotary = each_layer(config, found.layers, "no_rope_layers")
    every_fourth = whole(config, "no_rope_layer_interval", default=4)
    if not rotary:
        rotary = [1 if (i + 1) % every_fourth else 0 for i in range(found.layers)]
    chunk = whole_or_zero(config, "attention_chunk_size")
    rule = [CHUNKED if each and chunk else FULL for each in rotary]
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts"),
        whole(config, "num_experts_per_tok"),
        base.width,
        shared=base.width,
    )
    return routed(
        config,
        found,
        windowed(block, chunk),
        layer_types(config, found.layers, rule),
        sparse,
        dense=[i not in named for i in range(found.layers)],
    )


def mimo_v2_flash(config: Configuration) -> Decoder:
    """Windowed layers have sinks and key-value heads of their own number."""
    found = shape(config)
    window = whole_or_zero(config, "sliding_window")
    full = value_attention(config, found, found.kv_heads, sinks=False)
    kv_heads = whole(config, "swa_num_key_value_heads", default=found.kv_heads * 2)
    own = replace(
        found,
        heads=whole(config, "swa_num_attention_heads", default=found.heads),
        head_dim=whole(config, "swa_head_dim", default=found.head_dim),
    )
    sliding = value_attention(config, own, kv_heads, sinks=True)
    pattern = each_layer(config, found.layers, "hybrid_layer_pattern")
    if not pattern:
        pattern = [1 if i and (i + 1) % 6 else 0 for i in range(found.layers)]
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    sparse_layers = each_layer(config, found.layers, "moe_layer_freq") or [0] + [1] * (
        found.layers - 1
    )
    if kinds:
        sparse_layers = [each == "sparse" for each in kinds]
    return routed(
        config,
        found,
        {FULL: full, SLIDING: replace(sliding, window=window)},
        layer_types(config, found.layers, [SLIDING if each else FULL for each in pattern]),
        corrected(config, found),
        dense=[not each for each in sparse_layers],
    )


def value_attention(config: Configuration, found: Shape, kv_heads: int, *, sinks: bool) -> Block:
    """Attention whose values are of another width than its keys."""
    return attention(
        found.hidden,
        found.heads,
        kv_heads,
        found.head_dim,
        value_dim=whole(
            config,
            "swa_v_head_dim" if sinks else "v_head_dim",
            "v_head_dim",
            default=found.head_dim,
        ),
        bias=flag(config, "attention_bias"),
        vectors=1 if sinks else 0,
    )


def step3p7(config: Configuration) -> Decoder:
    """A gate for each head's output; windowed layers may have more heads."""
    found = shape(config)
    window = whole_or_zero(config, "sliding_window")
    other = section(config, "attention_other_setting")
    heads = other.get("num_attention_heads") or found.heads
    wide = replace(found, heads=whole(config, "num_sliding_attention_heads", default=heads))
    bias = flag(config, "attention_bias")
    full, sliding = (
        grouped(config, each, biased=bias, output_biased=bias, normed=True, gate=each.heads)
        for each in (found, wide)
    )
    count = whole(config, "n_routed_experts", "num_experts", "moe_num_experts")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok", "moe_top_k"),
        whole(config, "moe_intermediate_size"),
        router_vectors=count,
        shared=whole_or_zero(config, "share_expert_dim"),
    )
    types = layer_types(config, found.layers, [FULL] * found.layers)
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    first = whole_or_zero(config, "first_k_dense_replace") or 3
    dense = [kinds[i] == "dense" if kinds else i < first for i in range(found.layers)]
    mixers = {FULL: full, SLIDING: replace(sliding, window=window)}
    return routed(config, found, mixers, types, sparse, dense=dense)


def mllama(config: Configuration) -> Decoder:
    """Llama 3.2 Vision: some layers look at the images alone, and cache nothing of the text."""
    found = shape(config)
    crossing = listed(config, "cross_attention_layers") or [3, 8, 13, 18, 23, 28, 33, 38]
    own = grouped(config, found)
    cross = grouped(config, found, normed=True)
    gates = [vector("cross_gate", "attention", 1, count=2)]
    mixers = {FULL: own, "cross": replace(cross, tensors=cross.tensors + gates, cache=0, scores=0)}
    composed = compose(
        found.hidden,
        mixers,
        {"mlp": mlp(found.hidden, found.width)},
        ["cross" if i in crossing else FULL for i in range(found.layers)],
        ["mlp"] * found.layers,
    )
    return Decoder(
        shape=found,
        kinds=composed["kinds"],
        order=composed["order"],
        tied=tied(config),
        more_rows=8,
    )
