"""DeepSeek and its descendants: latent attention, indexed and compressed; Kimi, GLM-5, MiniCPM 3."""

from dataclasses import replace

from snippets.models.blocks import Block, experts, latent_attention, matrix, mlp, vector
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    given,
    listed,
    section,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import (
    FULL,
    Decoder,
    Shape,
    compose,
    divided,
    layer_types,
    shape,
    tied,
)
from snippets.models.model import Layer, Tensor
from snippets.models.recurrent import kimi_delta
from snippets.models.routed import corrected, everywhere, first_layers, routed


def deepseek(config: Configuration) -> Decoder:
    """Latent attention, many experts, shared ones, dense first layers."""
    made = deepseek_v3(config)
    return replace(
        made,
        kinds={name: without_corrections(kind) for name, kind in made.kinds.items()},
    )


def without_corrections(layer: Layer) -> Layer:
    """A layer whose router has its matrix alone."""
    return replace(
        layer, tensors=[each for each in layer.tensors if each.part != "router" or each.inputs]
    )


def deepseek_v3(config: Configuration) -> Decoder:
    """DeepSeek-V3 adds a learned correction to each expert's score."""
    found = shape(config, "qk_nope_head_dim")
    dense = first_layers(config, found, "first_k_dense_replace")
    return everywhere(config, found, latent(config, found), corrected(config, found), dense=dense)


def indexed(config: Configuration) -> Decoder:
    """DeepSeek-V3.2 and GLM-5: an indexer picks the tokens that are attended to."""
    made = deepseek_v3(config)
    found = made.shape
    full = latent(
        config,
        found,
        index_heads=whole(config, "index_n_heads"),
        index_dim=whole(config, "index_head_dim"),
        attends=whole(config, "index_topk"),
    )
    # Layers that share an earlier layer's choice have no indexer, but attend to as few tokens.
    shared = replace(latent(config, found), attends=whole(config, "index_topk"))
    types = each_layer(config, found.layers, "indexer_types") or ["full"] * found.layers
    dense = first_layers(config, found, "first_k_dense_replace")
    mixers = {"full": full, "shared": shared}
    return routed(config, found, mixers, types, corrected(config, found), dense=dense)


def latent(
    config: Configuration,
    found: Shape,
    *,
    index_heads: int = 0,
    index_dim: int = 0,
    attends: int = 0,
) -> Block:
    """DeepSeek's latent attention as the configuration sizes it."""
    return latent_attention(
        found.hidden,
        found.heads,
        whole(config, "qk_nope_head_dim"),
        whole(config, "qk_rope_head_dim"),
        whole(config, "v_head_dim", default=divided(found.hidden, found.heads)),
        whole(config, "kv_lora_rank"),
        whole_or_zero(config, "q_lora_rank"),
        bias=flag(config, "attention_bias"),
        index_heads=index_heads,
        index_dim=index_dim,
        attends=attends,
    )


def minicpm3(config: Configuration) -> Decoder:
    """Latent attention and an MLP in each layer."""
    found = shape(config, "qk_nope_head_dim")
    none = [True] * found.layers
    return everywhere(config, found, latent(config, found), mlp(found.hidden, 1), dense=none)


def deepseek_v4(config: Configuration) -> Decoder:
    """One key-value vector for all heads, compressed in most layers; several residual streams."""
    found = replace(shape(config), width=whole(config, "moe_intermediate_size"))
    ratios = each_layer(config, found.layers, "compress_ratios")
    if not ratios:
        types = layer_types(config, found.layers, compressed_rule(found.layers))
        rates = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128}
        rates = rates | section(config, "compress_rates")
        ratios = [rates.get(each, 0) for each in types]
    mixers = {f"every {ratio}": compressed_attention(config, found, ratio) for ratio in ratios}
    hashed = whole_or_zero(config, "num_hash_layers")
    named = each_layer(config, found.layers, "mlp_layer_types")
    if not given(config, "num_hash_layers"):
        hashed = named.count("hash_moe") if named else 3
    streams = whole(config, "hc_mult")
    plain = corrected(config, found)
    by_hash = replace(
        plain, tensors=[each for each in plain.tensors if each.part != "router" or each.inputs]
    )
    composed = compose(
        found.hidden,
        mixers,
        {"hash": by_hash, "experts": plain},
        [f"every {ratio}" for ratio in ratios],
        ["hash" if i < hashed else "experts" for i in range(found.layers)],
    )
    mixing = streams * (2 + streams)
    connection = matrix("connection", "norms", streams * found.hidden, mixing, pieces=1, count=2)
    connection += [vector("connection", "norms", mixing + 3, count=2)]
    kinds = {
        name: replace(each, tensors=each.tensors + connection)
        for name, each in composed["kinds"].items()
    }
    last = matrix("connection", "norms", streams * found.hidden, streams, pieces=1)
    return Decoder(
        shape=found,
        kinds=kinds,
        order=composed["order"],
        tied=tied(config),
        around=[*last, vector("connection", "norms", streams + 1)],
    )


def compressed_rule(layers: int) -> list[str]:
    """Two heavily compressed layers, then heavily compressed and sparse ones in turn."""
    heavy, sparse = "heavily_compressed_attention", "compressed_sparse_attention"
    return [sparse if i >= 2 and i % 2 else heavy for i in range(layers)]


def compressed_attention(config: Configuration, found: Shape, ratio: int) -> Block:
    """DeepSeek-V4's attention: over a window, and over one entry for each `ratio` tokens."""
    hidden, head = found.hidden, found.head_dim
    query_latent = whole(config, "q_lora_rank")
    groups, output_latent = whole(config, "o_groups"), whole(config, "o_lora_rank")
    wide = found.heads * head
    made = matrix("query_down", "attention", hidden, query_latent, pieces=1)
    made += [vector("query_norm", "attention", query_latent)]
    made += matrix("query_up", "attention", query_latent, wide)
    made += matrix("key_value", "attention", hidden, head, pieces=1)
    made += [vector("key_value_norm", "attention", head)]
    made += [vector("sinks", "attention", found.heads, pieces=0)]
    made += matrix("output_down", "attention", wide // groups, groups * output_latent)
    made += matrix("output", "attention", groups * output_latent, hidden)
    window = whole(config, "sliding_window")
    block = Block(
        tensors=made,
        cache=head,
        cache_pieces=1,
        window=window,
        scores=2 * wide,
        kept=2 * wide + 2 * query_latent + 2 * head + groups * output_latent,
        widest=2 * wide + head,
    )
    if not ratio:
        return block
    sparse = ratio < 128
    inner = head * (2 if sparse else 1)
    made += compressor(hidden, inner, head, ratio)
    index = 0
    if sparse:
        heads, size = whole(config, "index_n_heads"), whole(config, "index_head_dim")
        index = heads * size
        made += compressor(hidden, 2 * size, size, ratio)
        made += matrix("index_query", "attention", query_latent, index, pieces=1)
        made += matrix("index_weight", "attention", hidden, heads, pieces=1)
    return replace(
        block,
        tensors=made,
        window=0,
        every=ratio,
        beside_window=window,
        attends=whole(config, "index_topk") if sparse else 0,
        choosing=index,
    )


def compressor(hidden: int, inner: int, size: int, ratio: int) -> list[Tensor]:
    """Makes one entry of a few tokens: keys and gates, positions within the few, a norm."""
    made = matrix("compress_key", "attention", hidden, inner, pieces=1)
    made += matrix("compress_gate", "attention", hidden, inner, pieces=1)
    return [
        *made,
        vector("compress_positions", "attention", ratio * inner),
        vector("compress_norm", "attention", size),
    ]


def kimi_linear(config: Configuration) -> Decoder:
    """Three layers of delta rules to one of latent attention; experts after the first layer."""
    found = shape(config, "qk_nope_head_dim")
    inner = Configuration("linear_attn_config", section(config, "linear_attn_config"), {})
    linear = kimi_delta(
        found.hidden,
        whole(inner, "num_heads", default=whole(config, "linear_num_heads")),
        whole(inner, "head_dim", default=whole(config, "linear_head_dim")),
        whole(inner, "short_conv_kernel_size", default=whole(config, "linear_conv_kernel_dim")),
    )
    full = listed(inner, "full_attn_layers")  # counted from 1
    rule = [FULL if i and i % 4 == 0 else "linear_attention" for i in range(found.layers)]
    if full:
        rule = [FULL if i + 1 in full else "linear_attention" for i in range(found.layers)]
    count = whole(config, "num_experts", "num_local_experts")
    width = whole(config, "moe_intermediate_size")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_token", "num_experts_per_tok"),
        width,
        router_vectors=count,
        shared=whole(config, "num_shared_experts", "n_shared_experts") * width,
    )
    return routed(
        config,
        found,
        {FULL: latent(config, found), "linear_attention": linear},
        layer_types(config, found.layers, rule),
        sparse,
        dense=first_layers(config, found, "first_k_dense_replace"),
    )
