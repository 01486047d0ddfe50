"""Decoders whose layers all have one attention and one MLP: from GPT-2 to Gemma 3."""

from dataclasses import replace

from snippets.models.blocks import attention, mlp
from snippets.models.configuration import Configuration, flag, value, whole, whole_or_zero
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
    tie: bool = True,
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
        tied=tied(config, default=tie),
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
    return uniform(
        config,
        found,
        gated=False,
        bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        positions=found.context,
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
