"""Decoders of which only some layers have attention: Qwen 3.5, Nemotron-H, Jamba, Mamba and others."""

import math
from dataclasses import replace

from snippets.models.blocks import Block, attention, experts, layer, mlp
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    listed,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import FULL, Decoder, Shape, compose, every, layer_types, shape, tied
from snippets.models.recurrent import delta_net, lightning, mamba1, mamba2, short_convolution
from snippets.models.routed import grouped, stepped

LINEAR = "linear_attention"
LETTERS = {"M": LINEAR, "E": "moe", "*": FULL, "-": "mlp"}  # of Nemotron-H's pattern
LEGACY = {"mamba": LINEAR, "attention": FULL, "conv": LINEAR, "hybrid": LINEAR}


def mixed(
    config: Configuration,
    found: Shape,
    mixers: dict[str, Block],
    types: list[str],
    mlps: dict[str, Block],
    mlp_order: list[str],
) -> Decoder:
    """A decoder whose layers each have one of the mixers and one of the MLPs."""
    named = [LEGACY.get(each, each) for each in types]
    composed = compose(found.hidden, mixers, mlps, named, mlp_order)
    return Decoder(shape=found, kinds=composed["kinds"], order=composed["order"], tied=tied(config))


def qwen3_next(config: Configuration) -> Decoder:
    """Three layers of gated delta rules to one of gated attention; experts, or (3.5 dense) an MLP."""
    found = shape(config)
    full = gated_attention(config, found)
    linear = delta_net(
        found.hidden,
        whole(config, "linear_num_key_heads"),
        whole(config, "linear_num_value_heads"),
        whole(config, "linear_key_head_dim"),
        whole(config, "linear_value_head_dim"),
        whole(config, "linear_conv_kernel_dim"),
    )
    step = whole(config, "full_attention_interval", default=4)
    types = layer_types(config, found.layers, every(found.layers, step, other=LINEAR))
    mlps = {"mlp": mlp(found.hidden, found.width)}
    order = ["mlp"] * found.layers
    if value(config, "num_experts"):
        mlps["experts"] = experts(
            found.hidden,
            whole(config, "num_experts"),
            whole(config, "num_experts_per_tok"),
            whole(config, "moe_intermediate_size"),
            shared=whole(config, "shared_expert_intermediate_size"),
            shared_gate=True,
        )
        order = ["mlp" if dense else "experts" for dense in stepped(config, found.layers)]
    return mixed(config, found, {FULL: full, LINEAR: linear}, types, mlps, order)


def gated_attention(config: Configuration, found: Shape) -> Block:
    """Attention whose queries come with a gate on the output of each head."""
    bias = flag(config, "attention_bias")
    gated = flag(config, "attn_output_gate", default=True)
    return attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=bias,
        output_bias=bias,
        query_norm=found.head_dim,
        key_norm=found.head_dim,
        gate=found.heads * found.head_dim if gated else 0,
        gate_bias=bias,
    )


def nemotron_h(config: Configuration) -> Decoder:
    """Each layer is one of: Mamba 2, attention, experts, an MLP; after one norm."""
    pattern = value(config, "hybrid_override_pattern")
    if isinstance(pattern, str):
        types = [LETTERS.get(letter, letter) for letter in pattern]
    else:
        types = [
            LEGACY.get(each, each) for each in listed(config, "layers_block_type", "layer_types")
        ]
    config.given["num_hidden_layers"] = len(types) or None
    found = shape(config)
    hidden = found.hidden
    bias = flag(config, "attention_bias")
    blocks = {FULL: grouped(config, found, biased=bias, output_biased=bias)}
    if LINEAR in types:
        blocks[LINEAR] = mamba2(
            hidden,
            whole(config, "mamba_num_heads"),
            whole(config, "mamba_head_dim"),
            whole(config, "n_groups"),
            whole(config, "ssm_state_size"),
            whole(config, "conv_kernel"),
            conv_bias=flag(config, "use_conv_bias"),
            bias=flag(config, "use_bias"),
        )
    if "mlp" in types:
        blocks["mlp"] = mlp(hidden, found.width, gated=False, bias=flag(config, "mlp_bias"))
    if "moe" in types:
        count = whole(config, "n_routed_experts")
        shared = whole(config, "n_shared_experts", default=1)
        blocks["moe"] = experts(
            hidden,
            count,
            whole(config, "num_experts_per_tok"),
            whole(config, "moe_intermediate_size"),
            gated=False,
            router_vectors=count,
            shared=shared * whole(config, "moe_shared_expert_intermediate_size"),
            latent=whole_or_zero(config, "moe_latent_size"),
        )
    for each in types:
        if each not in blocks:
            raise ValueError(f"of layers only {', '.join(blocks)} are known here, not {each!r}")
    kinds = {
        name: layer([blocks[name]], hidden=hidden, norms_count=1)
        for name in blocks
        if name in types
    }
    return Decoder(shape=found, kinds=kinds, order=types, tied=tied(config))


def jamba(config: Configuration) -> Decoder:
    """Mamba, and attention in one layer of a period; experts in every other layer."""
    found = shape(config)
    inner = whole(config, "mamba_expand") * found.hidden
    rank = value(config, "mamba_dt_rank")
    linear = mamba1(
        found.hidden,
        inner,
        whole(config, "mamba_d_state"),
        whole(config, "mamba_d_conv"),
        -(-found.hidden // 16) if rank in (None, "auto") else whole(config, "mamba_dt_rank"),
        conv_bias=flag(config, "mamba_conv_bias"),
        bias=flag(config, "mamba_proj_bias"),
        norms=True,
    )
    period, offset = whole(config, "attn_layer_period"), whole_or_zero(config, "attn_layer_offset")
    types = [FULL if i % period == offset else LINEAR for i in range(found.layers)]
    step, first = whole(config, "expert_layer_period"), whole_or_zero(config, "expert_layer_offset")
    count = whole(config, "num_experts")
    order = ["experts" if count > 1 and i % step == first else "mlp" for i in range(found.layers)]
    used = whole(config, "num_experts_per_tok")
    mlps = {
        "mlp": mlp(found.hidden, found.width),
        "experts": experts(found.hidden, count, min(used, count), found.width),
    }
    return mixed(config, found, {FULL: grouped(config, found), LINEAR: linear}, types, mlps, order)


def bamba_mixer(
    config: Configuration,
    found: Shape,
    *,
    inner: int = 0,
    output_bias: bool | None = None,
    norm: bool = True,
) -> Block:
    """Mamba 2 as Bamba, Granite 4 and Falcon-H1 size it."""
    heads = whole(config, "mamba_n_heads")
    wide = inner or whole(config, "mamba_expand") * found.hidden
    head_dim = value(config, "mamba_d_head")
    return mamba2(
        found.hidden,
        heads,
        wide // heads if head_dim in (None, "auto") else whole(config, "mamba_d_head"),
        whole(config, "mamba_n_groups"),
        whole(config, "mamba_d_state"),
        whole(config, "mamba_d_conv"),
        conv_bias=flag(config, "mamba_conv_bias"),
        bias=flag(config, "mamba_proj_bias"),
        output_bias=output_bias,
        norm=norm,
    )


def bamba(config: Configuration) -> Decoder:
    """Attention in the layers that `attn_layer_indices` lists, Mamba 2 in the others."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    named = listed(config, "attn_layer_indices")
    types = layer_types(
        config, found.layers, [FULL if i in named else LINEAR for i in range(found.layers)]
    )
    mixers = {FULL: grouped(config, found, biased=bias, output_biased=bias)}
    mixers[LINEAR] = bamba_mixer(config, found)
    dense = {"mlp": mlp(found.hidden, found.width, bias=flag(config, "mlp_bias"))}
    return mixed(config, found, mixers, types, dense, ["mlp"] * found.layers)


def granitemoehybrid(config: Configuration) -> Decoder:
    """Granite 4: a shared expert in each layer, and others where there are some."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    types = layer_types(config, found.layers, [LINEAR] * found.layers)
    mixers = {FULL: grouped(config, found, biased=bias, output_biased=bias)}
    if "mamba" in types or LINEAR in types:
        mixers[LINEAR] = bamba_mixer(config, found)
    shared = whole(config, "shared_intermediate_size")
    block = mlp(found.hidden, shared)
    count = whole_or_zero(config, "num_local_experts")
    if count:
        used = whole(config, "num_experts_per_tok")
        block = experts(found.hidden, count, used, found.width, shared=shared)
    return mixed(config, found, mixers, types, {"mlp": block}, ["mlp"] * found.layers)


def falcon_h1(config: Configuration) -> Decoder:
    """Attention and Mamba 2 side by side in every layer."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    inner = whole_or_zero(config, "mamba_d_ssm")
    last = flag(config, "projectors_bias")
    normed = flag(config, "mamba_rms_norm")
    linear = bamba_mixer(config, found, inner=inner, output_bias=last, norm=normed)
    full = grouped(config, found, biased=bias, output_biased=bias)
    both = replace(
        full,
        tensors=full.tensors + linear.tensors,
        state=linear.state,
        recurrence=linear.recurrence,
        kept=full.kept + linear.kept,
        widest=full.widest + linear.widest,
    )
    dense = {"mlp": mlp(found.hidden, found.width, bias=flag(config, "mlp_bias"))}
    return mixed(config, found, {FULL: both}, [FULL] * found.layers, dense, ["mlp"] * found.layers)


def minimax(config: Configuration) -> Decoder:
    """MiniMax 01 and M1: seven layers of lightning attention to one of attention; experts in all."""
    found = shape(config)
    types = each_layer(config, found.layers, "attn_type_list")
    named = [FULL if each else LINEAR for each in types]
    if not named:
        rule = [FULL if (i + 1) % 2 else LINEAR for i in range(found.layers)]
        named = layer_types(config, found.layers, rule)
    mixers = {FULL: grouped(config, found)}
    mixers[LINEAR] = lightning(found.hidden, found.heads, found.head_dim)
    count, used = whole(config, "num_local_experts"), whole(config, "num_experts_per_tok")
    sparse = {"experts": experts(found.hidden, count, used, found.width)}
    return mixed(config, found, mixers, named, sparse, ["experts"] * found.layers)


def lfm2(config: Configuration) -> Decoder:
    """Short convolutions, and attention in some layers; an MLP, or (MoE) experts after the first ones."""
    base = shape(config)
    width = whole(config, "block_ff_dim", default=base.width)
    if flag(config, "block_auto_adjust_ff_dim"):
        width = 2 * width // 3
        factor = value(config, "block_ffn_dim_multiplier") or 1
        multiple = whole(config, "block_multiple_of")
        width = multiple * -(-math.floor(factor * width) // multiple)
    found = replace(base, width=width)
    named = listed(config, "full_attn_idxs") or list(range(found.layers))
    rule = [FULL if i in named else LINEAR for i in range(found.layers)]
    types = layer_types(config, found.layers, rule)
    mixers = {FULL: grouped(config, found, normed=True)}
    kernel = whole(config, "conv_L_cache", default=3)
    mixers[LINEAR] = short_convolution(found.hidden, kernel, bias=flag(config, "conv_bias"))
    mlps = {"mlp": mlp(found.hidden, found.width)}
    order = ["mlp"] * found.layers
    if value(config, "num_experts"):
        count = whole(config, "num_experts")
        mlps["experts"] = experts(
            found.hidden,
            count,
            whole(config, "num_experts_per_tok"),
            whole(config, "moe_intermediate_size"),
            router_vectors=count if flag(config, "use_expert_bias") else 0,
        )
        dense = whole_or_zero(config, "num_dense_layers")
        order = ["mlp" if i < dense else "experts" for i in range(found.layers)]
    made = mixed(config, found, mixers, types, mlps, order)
    return replace(made, tied=flag(config, "tie_embedding", "tie_word_embeddings"))
