"""Decoders with experts: Mixtral, Qwen, DeepSeek and its descendants, gpt-oss."""

from dataclasses import replace

from snippets.models.blocks import Block, attention, experts, mlp
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    given,
    listed,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import (
    FULL,
    Decoder,
    Shape,
    compose,
    shape,
    tied,
    windowed,
    windows,
)
from snippets.models.dense import later_windows


def routed(
    config: Configuration,
    found: Shape,
    mixers: dict[str, Block],
    mixer_order: list[str],
    sparse: Block,
    *,
    dense: list[bool] | None = None,
    norms: int = 2,
    norm_bias: bool = False,
) -> Decoder:
    """A decoder with experts in all layers but the `dense` ones."""
    order = ["experts" if not dense or not dense[i] else "mlp" for i in range(found.layers)]
    composed = compose(
        found.hidden,
        mixers,
        {"mlp": mlp(found.hidden, found.width), "experts": sparse},
        mixer_order,
        order,
        norms=norms,
        bias=norm_bias,
    )
    return Decoder(
        shape=found,
        kinds=composed["kinds"],
        order=composed["order"],
        tied=tied(config),
        norm_bias=norm_bias,
    )


def first_layers(config: Configuration, found: Shape, *keys: str) -> list[bool]:
    """Whether each layer is dense: listed as such, or one of the first ones."""
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    dense = whole_or_zero(config, *keys)
    if kinds:
        return [each == "dense" for each in kinds]
    if not given(config, keys[0]):
        dense = dense or {"glm4_moe_lite": 1, "glm_moe_dsa": 3, "kimi_linear": 1}.get(
            config.kind, 0
        )
    if dense > found.layers:
        raise ValueError(f"{dense} dense layers are more than all {found.layers}")
    return [i < dense for i in range(found.layers)]


def mixtral(config: Configuration) -> Decoder:
    """Experts in every layer; layers may have a window."""
    found = shape(config)
    window, types = windows(config, found.layers)
    block = attention(found.hidden, found.heads, found.kv_heads, found.head_dim)
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts", "num_experts"),
        whole(config, "num_experts_per_tok"),
        found.width,
    )
    return routed(config, found, windowed(block, window), types, sparse)


def qwen3_moe(config: Configuration) -> Decoder:
    """Norms of queries and keys; experts in each `decoder_sparse_step`-th layer."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    bias = flag(config, "attention_bias")
    block = attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=bias,
        output_bias=bias,
        query_norm=found.head_dim,
        key_norm=found.head_dim,
    )
    sparse = experts(
        found.hidden,
        whole(config, "num_experts", "num_local_experts"),
        whole(config, "num_experts_per_tok"),
        whole(config, "moe_intermediate_size"),
    )
    return routed(
        config, found, windowed(block, window), types, sparse, dense=stepped(config, found.layers)
    )


def stepped(config: Configuration, layers: int) -> list[bool]:
    """Whether each layer is dense: listed as such, or not each `decoder_sparse_step`-th."""
    step = whole(config, "decoder_sparse_step", default=1)
    named = listed(config, "mlp_only_layers")
    return [i in named or (i + 1) % step != 0 for i in range(layers)]


def gpt_oss(config: Configuration) -> Decoder:
    """Every other layer has a window; biases everywhere, and a sink for each head."""
    found = shape(config)
    window, types = windows(config, found.layers, step=2)
    bias = flag(config, "attention_bias", default=True)
    block = attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=bias,
        output_bias=bias,
        vectors=1,
    )
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts", "num_experts"),
        whole(config, "num_experts_per_tok", "experts_per_token"),
        found.width,
        bias=True,
        router_bias=True,
    )
    return routed(config, found, windowed(block, window), types, sparse)


def grouped(
    config: Configuration,
    found: Shape,
    *,
    biased: bool = False,
    output_biased: bool = False,
    normed: bool = False,
    wide_norms: bool = False,
    gate: int = 0,
) -> Block:
    """Attention of grouped queries; norms of a head's queries and keys, or (wide) of all of them."""
    query, key = found.head_dim, found.head_dim
    if wide_norms:
        query, key = found.heads * found.head_dim, found.kv_heads * found.head_dim
    return attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=biased,
        output_bias=output_biased,
        query_norm=query if normed else 0,
        key_norm=key if normed else 0,
        gate=gate,
    )


def everywhere(
    config: Configuration,
    found: Shape,
    block: Block,
    sparse: Block,
    dense: list[bool] | None = None,
) -> Decoder:
    """The same attention in all layers."""
    return routed(config, found, {FULL: block}, [FULL] * found.layers, sparse, dense=dense)


def olmoe(config: Configuration) -> Decoder:
    """Norms of all queries and all keys."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias, normed=True, wide_norms=True)
    count, used = whole(config, "num_experts"), whole(config, "num_experts_per_tok")
    return everywhere(config, found, block, experts(found.hidden, count, used, found.width))


def granitemoe(config: Configuration) -> Decoder:
    """Experts in every layer, and perhaps a shared one."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias)
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts"),
        whole(config, "num_experts_per_tok"),
        found.width,
        shared=whole_or_zero(config, "shared_intermediate_size"),
    )
    return everywhere(config, found, block, sparse)


def qwen2_moe(config: Configuration) -> Decoder:
    """A shared expert with a gate; biases of queries, keys and values."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    block = grouped(config, found, biased=flag(config, "qkv_bias", default=True))
    sparse = experts(
        found.hidden,
        whole(config, "num_experts"),
        whole(config, "num_experts_per_tok"),
        whole(config, "moe_intermediate_size"),
        shared=whole(config, "shared_expert_intermediate_size"),
        shared_gate=True,
    )
    dense = stepped(config, found.layers)
    return routed(config, found, windowed(block, window), types, sparse, dense=dense)


def glm4_moe(config: Configuration) -> Decoder:
    """DeepSeek's experts under attention of grouped queries; dots1 too."""
    found = shape(config)
    block = grouped(
        config,
        found,
        biased=flag(config, "attention_bias"),
        normed=flag(config, "use_qk_norm", default=config.kind == "dots1"),
    )
    dense = first_layers(config, found, "first_k_dense_replace")
    return everywhere(config, found, block, corrected(config, found), dense=dense)


def corrected(config: Configuration, found: Shape) -> Block:
    """DeepSeek's experts: shared ones, and a learned correction to each expert's score."""
    count = whole(config, "n_routed_experts", "num_local_experts", "num_experts")
    width = whole(config, "moe_intermediate_size")
    return experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok"),
        width,
        router_vectors=count,
        shared=whole_or_zero(config, "n_shared_experts") * width,
    )


def ernie4_5_moe(config: Configuration) -> Decoder:
    """Experts in each `moe_layer_interval`-th layer between a first and a last index."""
    found = shape(config)
    if flag(config, "use_bias"):
        raise ValueError("use_bias: biases beside ERNIE's experts are not known here")
    block = grouped(config, found)
    count = whole(config, "moe_num_experts")
    width = whole(config, "moe_intermediate_size")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "moe_k"),
        width,
        router_vectors=count,
        shared=whole_or_zero(config, "moe_num_shared_experts") * width,
    )
    first = whole_or_zero(config, "moe_layer_start_index")
    last = found.layers - 1
    if value(config, "moe_layer_end_index") not in (None, -1):
        last = whole_or_zero(config, "moe_layer_end_index")
    step = whole(config, "moe_layer_interval", default=1)
    dense = [not first <= i <= last or (i + 1) % step != 0 for i in range(found.layers)]
    return everywhere(config, found, block, sparse, dense=dense)


def phimoe(config: Configuration) -> Decoder:
    """LayerNorm, and biases of attention and head."""
    found = shape(config)
    window, types = windows(config, found.layers)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias)
    count, used = whole(config, "num_local_experts"), whole(config, "num_experts_per_tok")
    sparse = experts(found.hidden, count, used, found.width)
    made = routed(config, found, windowed(block, window), types, sparse, norm_bias=True)
    return replace(made, head_bias=flag(config, "lm_head_bias"))


def minimax_m2(config: Configuration) -> Decoder:
    """Norms of all queries and all keys; a correction to each expert's score."""
    found = shape(config)
    block = grouped(
        config, found, normed=flag(config, "use_qk_norm", default=True), wide_norms=True
    )
    count = whole(config, "num_local_experts")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok"),
        found.width,
        router_vectors=count if flag(config, "use_routing_bias", default=True) else 0,
        shared=whole_or_zero(config, "shared_intermediate_size"),
    )
    return everywhere(config, found, block, sparse)
