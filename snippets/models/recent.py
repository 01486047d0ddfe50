"""Dense decoders since 2023 that add one thing to Llama's layers: norms, sinks, gates, fewer blocks."""

import math
from dataclasses import replace

from snippets.models.blocks import Block, layer, matrix, mlp, vector
from snippets.models.configuration import (
    Configuration,
    flag,
    listed,
    value,
    whole,
)
from snippets.models.decoder import (
    FULL,
    SLIDING,
    Decoder,
    Shape,
    layer_types,
    shape,
    tied,
    windows,
)
from snippets.models.dense import uniform
from snippets.models.model import Layer, Tensor
from snippets.models.routed import grouped


def extended(decoder: Decoder, tensors: list[Tensor]) -> Decoder:
    """The decoder with further tensors in each of its layers."""
    kinds = {
        name: replace(kind, tensors=kind.tensors + tensors) for name, kind in decoder.kinds.items()
    }
    return replace(decoder, kinds=kinds)


def apertus(config: Configuration) -> Decoder:
    """A plain MLP with two learned numbers in its activation; norms of queries and keys."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    for key in ("qk_norm", "post_norm", "mlp_bias"):  # as in the file, whatever its class says
        if value(config, key) not in (None, key == "qk_norm"):
            raise ValueError(f"{key}: {value(config, key)!r} is not known here for Apertus")
    made = uniform(
        config,
        found,
        gated=False,
        bias=bias,
        output_bias=bias,
        query_norm=found.head_dim,
        key_norm=found.head_dim,
    )
    return extended(made, [vector("activation", "mlp", 2)])


def bitnet(config: Configuration) -> Decoder:
    """Norms of what goes into attention's output and the MLP's last matrix."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    made = uniform(config, found, bias=bias, output_bias=bias)
    inner = [
        vector("norm", "norms", found.hidden, pieces=0),
        vector("norm", "norms", found.width, pieces=0),
    ]
    return extended(made, inner)


def cwm(config: Configuration) -> Decoder:
    """Llama's layers; each fourth from the first on has no window."""
    found = shape(config)
    window, _ = windows(config, found.layers)
    rule = [SLIDING if i % 4 else FULL for i in range(found.layers)]
    types = layer_types(config, found.layers, rule if window else [FULL] * found.layers)
    return uniform(config, found, window=window, types=types)


def hyperclovax(config: Configuration) -> Decoder:
    """Llama's layers, perhaps with norms after attention and MLP too."""
    bias = flag(config, "attention_bias")
    return uniform(
        config,
        shape(config),
        bias=bias,
        output_bias=bias,
        mlp_bias=flag(config, "mlp_bias"),
        norms=4 if flag(config, "use_post_norm") else 2,
    )


def vaultgemma(config: Configuration) -> Decoder:
    """Gemma 2 without the norms after attention and MLP."""
    found = shape(config)
    window, types = windows(config, found.layers, step=2)
    bias = flag(config, "attention_bias")
    return uniform(config, found, bias=bias, output_bias=bias, window=window, types=types)


def granite_swa(config: Configuration) -> Decoder:
    """Granite with a sink for each head; each fourth layer from the first on has no window."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    window, _ = windows(config, found.layers)
    rule = [SLIDING if i % 4 else FULL for i in range(found.layers)]
    types = layer_types(config, found.layers, rule if window else [FULL] * found.layers)
    made = uniform(
        config,
        found,
        bias=bias,
        output_bias=bias,
        mlp_bias=flag(config, "mlp_bias"),
        window=window,
        types=types,
    )
    return extended(made, [vector("sinks", "attention", found.heads, pieces=0)])


def nanochat(config: Configuration) -> Decoder:
    """A plain MLP, and norms without parameters."""
    bias = flag(config, "attention_bias")
    made = uniform(config, shape(config), gated=False, bias=bias, output_bias=bias, norms=0)
    return replace(made, final_norm=False)


def persimmon(config: Configuration) -> Decoder:
    """LayerNorm and biases everywhere; perhaps LayerNorms of queries and keys, a head wide."""
    found = shape(config)
    normed = 2 * found.head_dim if flag(config, "qk_layernorm", default=True) else 0
    return uniform(
        config,
        found,
        gated=False,
        bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        query_norm=normed,
        key_norm=normed,
    )


def phi3small(config: Configuration) -> Decoder:
    """Biases everywhere, LayerNorm; attention looks at blocks in all layers but each second one.

    The cache holds every token: which blocks are looked at differs from head to head.
    """
    found = shape(config)
    width = whole(config, "ff_intermediate_size", default=found.width)
    for key in ("blocksparse_block_size", "dense_attention_every_n_layers"):
        value(config, key)
    value(config, "blocksparse_num_local_blocks")
    value(config, "blocksparse_vert_stride")
    value(config, "blocksparse_homo_head_pattern")
    made = uniform(
        config,
        replace(found, width=width),
        bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
    )
    return replace(made, tied=value(config, "tie_word_embeddings") is not False)


def nemotron_nas(config: Configuration) -> Decoder:
    """Llama's layers, of which a search left out attention or MLP, or made them narrower.

    A block that is left out has no norm either; one may be a single matrix instead.
    """
    blocks = listed(config, "block_configs")
    found = shape(config)
    if len(blocks) != found.layers:
        raise ValueError(f"block_configs must describe each of the {found.layers} layers")
    bias = flag(config, "attention_bias")
    kinds: dict[str, Layer] = {}
    order = []
    for said in blocks:
        read = Configuration("block_configs", said if isinstance(said, dict) else {}, {})
        mixer, name = searched_attention(config, found, read.given.get("attention"), bias)
        inner, wide = searched_mlp(found, read.given.get("ffn"), flag(config, "mlp_bias"))
        count = (1 if mixer else 0) + (1 if inner else 0)
        blocks_here = [each for each in (mixer, inner) if each] or [Block(tensors=[])]
        kinds[f"{name} {wide}"] = layer(blocks_here, hidden=found.hidden, norms_count=count)
        order += [f"{name} {wide}"]
    return Decoder(shape=found, kinds=kinds, order=order, tied=tied(config))


def searched_attention(
    config: Configuration, found: Shape, said: object, bias: bool
) -> tuple[Block | None, str]:
    """A block's attention and a name for it: heads in groups of its own, one matrix, or none."""
    read = Configuration("attention", said if isinstance(said, dict) else {}, {})
    if flag(read, "no_op"):
        return None, "none"
    if flag(read, "replace_with_linear"):
        return Block(tensors=matrix("linear", "attention", found.hidden, found.hidden)), "linear"
    group = whole(read, "n_heads_in_group")
    if found.heads % group:
        raise ValueError(f"{found.heads} heads do not make groups of {group}")
    shared = replace(found, kv_heads=found.heads // group)
    return grouped(config, shared, biased=bias, output_biased=bias), f"groups of {group}"


def searched_mlp(found: Shape, said: object, bias: bool) -> tuple[Block | None, str]:
    """A block's MLP and a name for it: two thirds of a multiple of the hidden size, up to 256s."""
    read = Configuration("ffn", said if isinstance(said, dict) else {}, {})
    if flag(read, "no_op"):
        return None, "none"
    if flag(read, "replace_with_linear"):
        return Block(tensors=matrix("linear", "mlp", found.hidden, found.hidden)), "linear"
    factor = value(read, "ffn_mult")
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor < 1000:
        raise ValueError(f"ffn_mult must be a number above 0, not {factor!r}")
    width = 256 * -(-math.floor(2 * factor * found.hidden / 3) // 256)
    return mlp(found.hidden, width, bias=bias), f"{width} wide"
