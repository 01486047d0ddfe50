"""Decoders with experts: Mixtral, Qwen, DeepSeek and its descendants, gpt-oss."""

from dataclasses import replace

from snippets.models.blocks import Block, attention, experts, latent_attention, mlp
from snippets.models.configuration import Configuration, flag, listed, whole, whole_or_zero
from snippets.models.decoder import FULL, Decoder, Shape, compose, shape, tied, windowed, windows
from snippets.models.dense import later_windows


def routed(
    config: Configuration,
    found: Shape,
    mixers: dict[str, Block],
    mixer_order: list[str],
    sparse: Block,
    *,
    dense: list[bool] | None = None,
    tie: bool = True,
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
        tied=tied(config, default=tie),
        norm_bias=norm_bias,
    )


def first_layers(config: Configuration, found: Shape, *keys: str) -> list[bool]:
    """Whether each layer is one of the first, dense ones."""
    dense = whole_or_zero(config, *keys)
    if dense > found.layers:
        raise ValueError(f"{dense} dense layers are more than all {found.layers}")
    return [i < dense for i in range(found.layers)]


def mixtral(config: Configuration) -> Decoder:
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


def deepseek(config: Configuration, *, score_bias: bool = False) -> Decoder:
    """Latent attention, many experts, shared ones, dense first layers."""
    base = shape(config)
    found = replace(base, head_dim=whole(config, "qk_nope_head_dim"))
    block = latent_attention(
        found.hidden,
        found.heads,
        found.head_dim,
        whole(config, "qk_rope_head_dim"),
        whole(config, "v_head_dim"),
        whole(config, "kv_lora_rank"),
        whole_or_zero(config, "q_lora_rank"),
        bias=flag(config, "attention_bias"),
    )
    count = whole(config, "n_routed_experts", "num_local_experts", "num_experts")
    width = whole(config, "moe_intermediate_size")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok"),
        width,
        router_vectors=count if score_bias else 0,
        shared=whole_or_zero(config, "n_shared_experts") * width,
    )
    dense = first_layers(config, found, "first_k_dense_replace")
    return routed(config, found, {FULL: block}, [FULL] * found.layers, sparse, dense=dense)


def deepseek_v3(config: Configuration) -> Decoder:
    """DeepSeek-V3 adds a learned correction to each expert's score."""
    return deepseek(config, score_bias=True)
