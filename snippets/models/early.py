"""Decoders of 2019 to 2023: LayerNorm, plain MLPs, biases; learned positions, distances, or rotary ones."""

from dataclasses import replace

from snippets.models.blocks import matrix, norms
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    given,
    listed,
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
    shape,
    windows,
)
from snippets.models.dense import uniform


def gpt2(config: Configuration) -> Decoder:
    """Learned positions, LayerNorm, a plain MLP, biases everywhere."""
    if flag(config, "add_cross_attention"):
        raise ValueError(
            "add_cross_attention: a decoder that looks at an encoder is not known here"
        )
    found = shape(config)
    return biased(config, found, positions=found.context)


def biased(config: Configuration, found: Shape, *, positions: int = 0) -> Decoder:
    """LayerNorm, a plain MLP, biases everywhere."""
    return uniform(
        config,
        found,
        gated=False,
        bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        positions=positions,
    )


def gpt_neox(config: Configuration) -> Decoder:
    """Norms and MLPs with biases; those of attention may be left out."""
    found = shape(config)
    bias = flag(config, "attention_bias", default=True)
    return uniform(
        config,
        found,
        gated=False,
        bias=bias,
        output_bias=bias,
        mlp_bias=True,
        norm_bias=True,
    )


def opt(config: Configuration) -> Decoder:
    """Two rows of learned positions beside those of the context; BioGPT too.

    OPT 350M has a narrower embedding, with matrices that lead from it and back, and its norms after
    attention and MLP, so none at the end.
    """
    found = shape(config)
    narrow = whole(config, "word_embed_proj_dim", default=found.hidden)
    bias = flag(config, "enable_bias", default=True)
    if not flag(config, "layer_norm_elementwise_affine", default=True):
        raise ValueError("layer_norm_elementwise_affine: norms without scales are not known here")
    before = flag(config, "do_layer_norm_before", default=True)
    made = uniform(
        config,
        found,
        gated=False,
        bias=bias,
        output_bias=bias,
        mlp_bias=bias,
        norm_bias=True,
        normed=2 if before else 0,
        positions=found.context + 2,
    )
    around = []
    if narrow != found.hidden:
        around += matrix("embedding_up", "mlp", narrow, found.hidden, pieces=1)
        around += matrix("embedding_down", "mlp", found.hidden, narrow, pieces=1)
    last = before and not flag(config, "_remove_final_layer_norm")
    return replace(made, around=around, final_norm=last, embedding_width=narrow)


def phi(config: Configuration) -> Decoder:
    """Attention and MLP side by side after one norm; biases everywhere, the head's too."""
    if flag(config, "qk_layernorm"):
        raise ValueError("qk_layernorm is not known here for Phi")
    return uniform(
        config,
        shape(config),
        gated=False,
        bias=True,
        output_bias=True,
        mlp_bias=True,
        head_bias=True,
        norms=1,
        norm_bias=True,
    )


def falcon(config: Configuration) -> Decoder:
    """One key-value head (7B), or several and two norms (40B and on)."""
    from_heads = shape(config)
    new = flag(config, "new_decoder_architecture")
    several = not flag(config, "multi_query", default=True) and not new
    said = whole(config, "num_kv_heads", "n_head_kv", default=from_heads.heads)
    found = replace(from_heads, kv_heads=said if new or several else 1)
    bias = flag(config, "bias")
    parallel = flag(config, "parallel_attn", default=True) or new
    norms = 2 if new and value(config, "num_ln_in_parallel_attn") != 1 else 1
    return uniform(
        config,
        found,
        gated=False,
        bias=bias,
        output_bias=bias,
        mlp_bias=bias,
        norms=norms if parallel else 2,
        norm_bias=True,
    )


def gpt_bigcode(config: Configuration) -> Decoder:
    """GPT-2 with one key-value head (StarCoder 1)."""
    base = shape(config)
    found = replace(base, kv_heads=1 if flag(config, "multi_query") else base.heads)
    return biased(config, found, positions=found.context)


def bloom(config: Configuration) -> Decoder:
    """Biases everywhere, no positions (ALiBi), a norm after the embedding."""
    found = replace(shape(config), width=4 * shape(config).hidden)
    made = biased(config, found)
    return replace(made, around=norms(found.hidden, 1, bias=True))


def gptj(config: Configuration) -> Decoder:
    """Attention and MLP side by side after one norm; CodeGen too. The head has a bias."""
    found = shape(config)
    return uniform(
        config, found, gated=False, mlp_bias=True, head_bias=True, norms=1, norm_bias=True
    )


def gpt_neo(config: Configuration) -> Decoder:
    """GPT-2 without biases of queries, keys and values; every other layer has a window."""
    found = shape(config)
    window = whole_or_zero(config, "window_size")
    named = each_layer(config, found.layers, "attention_layers")
    for kinds, times in listed(config, "attention_types"):
        named += kinds * times if not given(config, "attention_layers") else []
    named = named or [("global", "local")[i % 2] for i in range(found.layers)]
    types = [SLIDING if each == "local" else FULL for each in named]
    return uniform(
        config,
        found,
        gated=False,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        positions=found.context,
        window=window,
        types=types,
    )


def mpt(config: Configuration) -> Decoder:
    """No biases and no positions (ALiBi); norms of scales alone."""
    base = shape(config)
    width = whole(config, "expansion_ratio", default=4) * base.hidden
    inner = section(config, "attn_config")
    kv_heads = inner.get("kv_n_heads") or (
        1 if inner.get("attn_type") == "multiquery_attention" else base.heads
    )
    return uniform(config, replace(base, width=width, kv_heads=kv_heads), gated=False)


def starcoder2(config: Configuration) -> Decoder:
    """Biases in all matrices or in none, always in norms; layers may have a window."""
    found = shape(config)
    bias = flag(config, "use_bias", default=True)
    window, types = windows(config, found.layers)
    return uniform(
        config,
        found,
        gated=False,
        bias=bias,
        output_bias=bias,
        mlp_bias=bias,
        norm_bias=True,
        window=window,
        types=types,
    )


def stablelm(config: Configuration) -> Decoder:
    """LayerNorm; with parallel residuals one of them, with qk_layernorm one for each head."""
    found = shape(config)
    normed = flag(config, "qk_layernorm")
    return uniform(
        config,
        found,
        bias=flag(config, "use_qkv_bias"),
        query_norm=found.heads * found.head_dim if normed else 0,
        key_norm=found.kv_heads * found.head_dim if normed else 0,
        norms=1 if flag(config, "use_parallel_residual") else 2,
        norm_bias=True,
    )


def nemotron(config: Configuration) -> Decoder:
    """A plain MLP and LayerNorm; few biases."""
    bias = flag(config, "attention_bias")
    return uniform(
        config,
        shape(config),
        gated=False,
        bias=bias,
        output_bias=bias,
        mlp_bias=flag(config, "mlp_bias"),
        norm_bias=True,
    )


def arcee(config: Configuration) -> Decoder:
    """Llama with a plain MLP."""
    bias = flag(config, "attention_bias")
    mlp_bias = flag(config, "mlp_bias")
    return uniform(
        config, shape(config), gated=False, bias=bias, output_bias=bias, mlp_bias=mlp_bias
    )


def internlm2(config: Configuration) -> Decoder:
    """Llama under other names: InternLM 2 and 3, Baichuan, XVERSE, MiniCPM, EXAONE 3."""
    bias = flag(config, "bias", "qkv_bias")
    return uniform(config, shape(config), bias=bias, output_bias=bias)


def chatglm(config: Configuration) -> Decoder:
    """ChatGLM 2 and 3, GLM-4: few key-value heads, biases of queries, keys and values."""
    base = shape(config)
    groups = whole(config, "multi_query_group_num", default=base.heads)
    found = replace(
        base,
        kv_heads=groups if flag(config, "multi_query_attention") else base.heads,
        head_dim=whole(config, "kv_channels", default=base.head_dim),
    )
    rest = flag(config, "add_bias_linear")
    return uniform(
        config,
        found,
        bias=flag(config, "add_qkv_bias") or rest,
        output_bias=rest,
        mlp_bias=rest,
    )


def qwen(config: Configuration) -> Decoder:
    """The first Qwen: its intermediate size is that of gate and up together."""
    if not flag(config, "no_bias", default=True):
        raise ValueError("no_bias: the biases of Qwen 1 beside those of queries are not known here")
    base = shape(config)
    return uniform(config, replace(base, width=base.width // 2), bias=True)
