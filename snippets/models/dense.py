"""Decoders whose layers all have one attention and one MLP: from GPT-2 to Gemma 3."""

from dataclasses import replace

from snippets.models.blocks import attention, mlp, norms
from snippets.models.configuration import Configuration, flag, section, value, whole, whole_or_zero
from snippets.models.decoder import (
    FULL,
    SLIDING,
    Decoder,
    Shape,
    compose,
    layer_types,
    shape,
    tied,
    windowed,
    windows,
)


def uniform(
    config: Configuration,
    found: Shape,
    *,
    gated: bool = True,
    bias: bool = False,
    output_bias: bool = False,
    mlp_bias: bool = False,
    head_bias: bool = False,
    query_norm: int = 0,
    key_norm: int = 0,
    norms: int = 2,
    normed: int = 2,
    norm_bias: bool = False,
    positions: int = 0,
    window: int = 0,
    types: list[str] | None = None,
) -> Decoder:
    """A decoder whose layers differ in their attention's windows alone."""
    block = attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=bias,
        output_bias=output_bias,
        query_norm=query_norm,
        key_norm=key_norm,
    )
    composed = compose(
        found.hidden,
        windowed(block, window),
        {"mlp": mlp(found.hidden, found.width, gated=gated, bias=mlp_bias)},
        types or [FULL] * found.layers,
        ["mlp"] * found.layers,
        norms=norms,
        normed=normed,
        bias=norm_bias,
    )
    return Decoder(
        shape=found,
        kinds=composed["kinds"],
        order=composed["order"],
        tied=tied(config),
        norm_bias=norm_bias,
        head_bias=head_bias,
        positions=positions,
    )


def llama(config: Configuration) -> Decoder:
    """Rotary positions, RMSNorm, gated MLP."""
    bias = flag(config, "attention_bias")
    return uniform(
        config, shape(config), bias=bias, output_bias=bias, mlp_bias=flag(config, "mlp_bias")
    )


def mistral(config: Configuration) -> Decoder:
    """Llama's layers with a sliding window; Phi 3 too."""
    found = shape(config)
    window, types = windows(config, found.layers)
    return uniform(config, found, window=window, types=types)


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
    """Two rows of learned positions beside those of the context."""
    found = shape(config)
    if whole(config, "word_embed_proj_dim", default=found.hidden) != found.hidden:
        raise ValueError("word_embed_proj_dim other than hidden_size (OPT 350M) is not known here")
    bias = flag(config, "enable_bias", default=True)
    if not flag(config, "layer_norm_elementwise_affine", default=True):
        raise ValueError("layer_norm_elementwise_affine: norms without scales are not known here")
    if not flag(config, "do_layer_norm_before", default=True):
        raise ValueError("do_layer_norm_before: norms after attention are not known here")
    return uniform(
        config,
        found,
        gated=False,
        bias=bias,
        output_bias=bias,
        mlp_bias=bias,
        norm_bias=True,
        positions=found.context + 2,
    )


def qwen2(config: Configuration) -> Decoder:
    """Biases of queries, keys and values; windows from a layer on, where they are used."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    return uniform(config, found, bias=True, window=window, types=types)


def qwen3(config: Configuration) -> Decoder:
    """Norms of queries and keys, a head wide."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    bias = flag(config, "attention_bias")
    return uniform(
        config,
        found,
        bias=bias,
        output_bias=bias,
        query_norm=found.head_dim,
        key_norm=found.head_dim,
        window=window,
        types=types,
    )


def later_windows(config: Configuration, layers: int) -> tuple[int, list[str]]:
    """Windows of the layers from max_window_layers on, if use_sliding_window is true."""
    first = whole_or_zero(config, "max_window_layers")
    window = whole_or_zero(config, "sliding_window")
    if not flag(config, "use_sliding_window"):
        return 0, [FULL] * layers
    rule = [SLIDING if i >= first else FULL for i in range(layers)]
    return window, layer_types(config, layers, rule)


def gemma(config: Configuration) -> Decoder:
    found = shape(config)
    bias = flag(config, "attention_bias")
    return uniform(config, found, bias=bias, output_bias=bias)


def gemma2(config: Configuration) -> Decoder:
    """A norm after attention and MLP too; every other layer has a window."""
    found = shape(config)
    window, types = windows(config, found.layers, step=2)
    bias = flag(config, "attention_bias")
    return uniform(config, found, bias=bias, output_bias=bias, norms=4, window=window, types=types)


def gemma3(config: Configuration) -> Decoder:
    """Five layers with a window to one without; norms of queries and keys."""
    found = shape(config)
    step = whole(config, "sliding_window_pattern", "_sliding_window_pattern", default=6)
    window, types = windows(config, found.layers, step=step)
    bias = flag(config, "attention_bias")
    return uniform(
        config,
        found,
        bias=bias,
        output_bias=bias,
        query_norm=found.head_dim,
        key_norm=found.head_dim,
        norms=4,
        window=window,
        types=types,
    )


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
    several = not new and not flag(config, "multi_query", default=True)
    kv_heads = (
        whole(config, "num_kv_heads", "n_head_kv", default=from_heads.heads)
        if new or several
        else 1
    )
    found = replace(from_heads, kv_heads=kv_heads)
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
    types = [SLIDING if i % 2 else FULL for i in range(found.layers)]
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


def olmo(config: Configuration) -> Decoder:
    """Norms without parameters."""
    bias = flag(config, "attention_bias")
    made = uniform(config, shape(config), bias=bias, output_bias=bias, norms=0)
    return replace(made, final_norm=False)


def olmo2(config: Configuration) -> Decoder:
    """Norms of all queries and all keys, and after attention and MLP instead of before; OLMo 3's windows."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    window, types = windows(config, found.layers, step=4)
    return uniform(
        config,
        found,
        bias=bias,
        output_bias=bias,
        query_norm=found.heads * found.head_dim,
        key_norm=found.kv_heads * found.head_dim,
        normed=0,
        window=window,
        types=types,
    )


def cohere(config: Configuration) -> Decoder:
    """Attention and MLP side by side after one norm; Command R 7B has three windows to one without."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    normed = flag(config, "use_qk_norm")
    step = whole(config, "sliding_window_pattern", "_sliding_window_pattern", default=4)
    window, types = windows(config, found.layers, step=step)
    return uniform(
        config,
        found,
        bias=bias,
        output_bias=bias,
        query_norm=found.heads * found.head_dim if normed else 0,
        key_norm=found.kv_heads * found.head_dim if normed else 0,
        norms=1,
        window=window,
        types=types,
    )


def starcoder2(config: Configuration) -> Decoder:
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


def smollm3(config: Configuration) -> Decoder:
    """Llama's layers; a quarter of them without rotary positions."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    bias = flag(config, "attention_bias")
    return uniform(
        config,
        found,
        bias=bias,
        output_bias=bias,
        mlp_bias=flag(config, "mlp_bias"),
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


def glm(config: Configuration) -> Decoder:
    """Biases of queries, keys and values."""
    return uniform(config, shape(config), bias=flag(config, "attention_bias"))


def glm4(config: Configuration) -> Decoder:
    """Norms after attention and MLP too."""
    return uniform(config, shape(config), bias=flag(config, "attention_bias"), norms=4)


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


def normed_heads(config: Configuration) -> Decoder:
    """Llama with norms of queries and keys, a head wide: EXAONE 4, Hunyuan; windows in some layers."""
    found = shape(config)
    step = whole(config, "sliding_window_pattern", default=4) if flag_is_whole(config) else 4
    window, types = windows(config, found.layers, step=step)
    bias = flag(config, "attention_bias")
    return uniform(
        config,
        found,
        bias=bias,
        output_bias=bias,
        query_norm=found.head_dim,
        key_norm=found.head_dim,
        window=window,
        types=types,
    )


def flag_is_whole(config: Configuration) -> bool:
    """Whether sliding_window_pattern is a number; it may be letters like LLLG, of four."""
    return not isinstance(value(config, "sliding_window_pattern"), str)


def ernie4_5(config: Configuration) -> Decoder:
    bias = flag(config, "use_bias")
    return uniform(config, shape(config), bias=bias, output_bias=bias, mlp_bias=bias)


def seed_oss(config: Configuration) -> Decoder:
    return uniform(
        config,
        shape(config),
        bias=flag(config, "attention_bias"),
        output_bias=flag(config, "attention_out_bias"),
        mlp_bias=flag(config, "mlp_bias"),
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
    base = shape(config)
    return uniform(config, replace(base, width=base.width // 2), bias=True)
