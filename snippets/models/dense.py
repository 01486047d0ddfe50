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


def helium(config: Configuration) -> Decoder:
    """Llama's layers; attention's output has no bias, and is as wide as the hidden state."""
    found = shape(config)
    if found.heads * found.head_dim != found.hidden:
        raise ValueError("head_dim: Helium's heads are together as wide as its hidden state")
    bias = flag(config, "attention_bias")
    return uniform(config, found, bias=bias, mlp_bias=flag(config, "mlp_bias"))


def mistral(config: Configuration) -> Decoder:
    """Llama's layers with a sliding window; Phi 3 too."""
    found = shape(config)
    window, types = windows(config, found.layers)
    return uniform(config, found, window=window, types=types)


def qwen2(config: Configuration) -> Decoder:
    """Biases of queries, keys and values; windows from a layer on, where they are used."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    value(config, "attention_bias")  # the biases are there whatever it says
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
    """Biases in all of attention, or nowhere."""
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


def glm(config: Configuration) -> Decoder:
    """Biases of queries, keys and values."""
    return uniform(config, shape(config), bias=flag(config, "attention_bias"))


def glm4(config: Configuration) -> Decoder:
    """Norms after attention and MLP too."""
    return uniform(config, shape(config), bias=flag(config, "attention_bias"), norms=4)


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
    """Biases in all matrices of the layers, or in none."""
    bias = flag(config, "use_bias")
    return uniform(config, shape(config), bias=bias, output_bias=bias, mlp_bias=bias)


def seed_oss(config: Configuration) -> Decoder:
    """Biases of queries, keys and values, of attention's output and of the MLP, each by itself."""
    return uniform(
        config,
        shape(config),
        bias=flag(config, "attention_bias"),
        output_bias=flag(config, "attention_out_bias"),
        mlp_bias=flag(config, "mlp_bias"),
    )
