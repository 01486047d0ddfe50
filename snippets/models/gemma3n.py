"""Gemma 3n: several residual streams, a low-rank branch, inputs of each layer's own, shared caches."""

from dataclasses import replace

from snippets.models.blocks import Block, attention, matrix, mlp, vector
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import (
    FULL,
    SLIDING,
    Decoder,
    compose,
    every,
    layer_types,
    shape,
    tied,
)


def gemma3n(config: Configuration) -> Decoder:
    """AltUp's streams, LAuReL's branch and an input of each layer's own stand beside the MLP.

    The last `num_kv_shared_layers` layers use the cache of an earlier one of their kind.
    """
    said = value(config, "intermediate_size")
    many = said if isinstance(said, list) else []
    if many:
        config.given["intermediate_size"] = many[0]
    found = shape(config)
    widths = many or [found.width] * found.layers
    if len(widths) != found.layers:
        raise ValueError(
            f"intermediate_size must say something of each of the {found.layers} layers"
        )
    for each in widths:
        if isinstance(each, bool) or not isinstance(each, int) or each < 1:
            raise ValueError(f"intermediate_size must be whole numbers, not {each!r}")
    each_layer(config, found.layers, "activation_sparsity_pattern")
    types = layer_types(config, found.layers, every(found.layers, 5))
    sharing = found.layers - whole_or_zero(config, "num_kv_shared_layers")
    window = whole_or_zero(config, "sliding_window")
    bias = flag(config, "attention_bias")
    mixers = {
        f"{kind} {cache}": attention(
            found.hidden,
            found.heads,
            found.kv_heads,
            found.head_dim,
            bias=bias,
            output_bias=bias,
            query_norm=found.head_dim,
            key_norm=found.head_dim,
            own_cache=cache == "own",
            window=window if kind == SLIDING else 0,
        )
        for kind in (FULL, SLIDING)
        for cache in ("own", "shared")
    }
    composed = compose(
        found.hidden,
        mixers,
        {str(width): feed_forward(config, found.hidden, width) for width in widths},
        [f"{types[i]} {'own' if i < sharing else 'shared'}" for i in range(found.layers)],
        [str(width) for width in widths],
        norms=7,
    )
    streams = whole(config, "altup_num_inputs") - 1
    inputs = whole(config, "hidden_size_per_layer_input")
    rows = whole(config, "vocab_size_per_layer_input")
    wide = found.layers * inputs
    around = matrix("layer_embedding", "positions", rows, wide)
    around += matrix("layer_projection", "mlp", found.hidden, wide, pieces=1)
    around += [vector("layer_norm", "norms", inputs)]
    around += matrix("streams", "mlp", found.hidden, found.hidden, pieces=1, count=2 * streams)
    return Decoder(
        shape=found,
        kinds=composed["kinds"],
        order=composed["order"],
        tied=tied(config),
        around=around,
    )


def feed_forward(config: Configuration, hidden: int, width: int) -> Block:
    """An MLP, LAuReL's two narrow matrices, AltUp's mixing of streams, the layer's own input."""
    block = mlp(hidden, width)
    rank, inputs = whole(config, "laurel_rank"), whole(config, "hidden_size_per_layer_input")
    streams = whole(config, "altup_num_inputs")
    value(config, "altup_active_idx")
    made = matrix("laurel_down", "mlp", hidden, rank, pieces=1)
    made += matrix("laurel_up", "mlp", rank, hidden, pieces=1)
    made += matrix("input_gate", "mlp", hidden, inputs, pieces=1)
    made += matrix("input_projection", "mlp", inputs, hidden, pieces=1)
    made += matrix("stream_router", "mlp", hidden, streams, pieces=1)
    made += matrix("stream_correction", "mlp", streams, streams, pieces=1)
    made += matrix("stream_prediction", "mlp", streams, streams**2, pieces=1)
    made += [vector("stream_scale", "norms", hidden)]
    return replace(block, tensors=block.tensors + made, kept=block.kept + rank + 3 * inputs)
