"""What all families share: a decoder's shape, the kinds of its layers, and which layer is of which."""

from dataclasses import dataclass, field, replace
from typing import Any

from snippets.models.blocks import Block, layer
from snippets.models.configuration import Configuration, flag, listed, value, whole, whole_or_zero
from snippets.models.model import Beside, Layer, Tensor

FULL = "full_attention"
SLIDING = "sliding_attention"
CHUNKED = "chunked_attention"
MOST_LAYERS = 10_000  # ten times the deepest that was ever trained


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The figures that nearly every configuration states, under one name or another."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    width: int
    vocabulary: int
    context: int


@dataclass(frozen=True, kw_only=True)
class Decoder:
    """What a family makes of a configuration: layers by kind, and what stands around them.

    The output head is `tied` to the embedding or a matrix of its own; the embedding has `more_rows`
    than the vocabulary, and both may have an `embedding_width` other than the hidden size.
    """

    shape: Shape
    kinds: dict[str, Layer]
    order: list[str]
    tied: bool
    norm_bias: bool = False
    final_norm: bool = True
    head_bias: bool = False
    positions: int = 0
    more_rows: int = 0
    embedding_width: int = 0
    around: list[Tensor] = field(default_factory=list)
    beside: list[Beside] = field(default_factory=list)


SHAPE_KEYS = {  # the figures of a Model, and the names that configurations have for them
    "layers": ["num_hidden_layers", "n_layer", "n_layers", "num_layers"],
    "hidden_size": ["hidden_size", "n_embd", "n_embed", "d_model"],
    "heads": ["num_attention_heads", "n_head", "n_heads", "num_heads"],
    "kv_heads": ["num_key_value_heads", "num_kv_heads", "multi_query"],
    "head_dim": ["head_dim", "qk_nope_head_dim"],
    "intermediate_size": ["intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff"],
    "vocabulary": ["vocab_size", "padded_vocab_size"],
    "context": ["max_position_embeddings", "n_positions", "max_seq_len", "seq_length"],
    "window": ["sliding_window"],
    "tied_embeddings": ["tie_word_embeddings"],
    "experts": ["num_experts", "num_local_experts", "n_routed_experts"],
    "experts_per_token": ["num_experts_per_tok"],
}


def shape(config: Configuration, head: str = "head_dim") -> Shape:
    """The shape, as the file or its class states it; four times the hidden size where no width is.

    `head` is the key of a head's width, which is the hidden size over the heads where it is absent.
    """
    keys = SHAPE_KEYS
    hidden = whole(config, *keys["hidden_size"])
    heads = whole(config, *keys["heads"])
    value(config, "head_dim")  # known, also where another key has it
    layers = whole(config, *keys["layers"])
    if layers > MOST_LAYERS:
        raise ValueError(f"{layers:,} layers are more than any model's")
    return Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=whole(config, "num_key_value_heads", default=heads),
        head_dim=whole(config, head, default=divided(hidden, heads)),
        width=whole(config, *keys["intermediate_size"], default=4 * hidden),
        vocabulary=whole(config, *keys["vocabulary"]),
        context=whole(config, *keys["context"], default=2048),
    )


def divided(hidden: int, heads: int) -> int | None:
    """The hidden size over the heads; None where that is not whole."""
    return hidden // heads if hidden % heads == 0 else None


def tied(config: Configuration) -> bool:
    """Whether the output head is the embedding."""
    return flag(config, "tie_word_embeddings")


def windowed(block: Block, window: int) -> dict[str, Block]:
    """One attention under the names that layer_types gives it."""
    return {
        FULL: block,
        SLIDING: replace(block, window=window),
        CHUNKED: replace(block, window=window, chunked=True),
    }


def layer_types(config: Configuration, layers: int, otherwise: list[str]) -> list[str]:
    """What the file says of each layer, or the class's rule."""
    if value(config, "layer_types") is None:
        return otherwise
    types = listed(config, "layer_types")
    if len(types) != layers:
        raise ValueError(f"layer_types must name each of the {layers} layers' attention")
    return types


def every(layers: int, step: int, *, last: str = FULL, other: str = SLIDING) -> list[str]:
    """`other` layers, and each `step`-th of them `last`."""
    return [last if (i + 1) % step == 0 else other for i in range(layers)]


def windows(config: Configuration, layers: int, *, step: int = 0) -> tuple[int, list[str]]:
    """The window and each layer's attention: all windowed, or all but each `step`-th."""
    window = whole_or_zero(config, "sliding_window")
    rule = every(layers, step) if step else [SLIDING] * layers
    types = layer_types(config, layers, rule if window else [FULL] * layers)
    return window, types


def compose(
    hidden: int,
    mixers: dict[str, Block],
    mlps: dict[str, Block],
    mixer_order: list[str],
    mlp_order: list[str],
    *,
    norms: int = 2,
    normed: int = 2,
    bias: bool = False,
) -> dict[str, Any]:
    """`kinds` and `order` of a Decoder whose layers each have one mixer and one MLP."""
    for name in mixer_order:
        if name not in mixers:
            raise ValueError(
                f"of layer_types only {', '.join(mixers)} are known here, not {name!r}"
            )
    order = [f"{mixer_order[i]} {mlp_order[i]}" for i in range(len(mixer_order))]
    kinds = {
        f"{mixer} {name}": layer(
            [mixers[mixer], mlps[name]],
            hidden=hidden,
            norms_count=norms,
            normed=normed,
            bias=bias,
        )
        for mixer in mixers
        for name in mlps
        if f"{mixer} {name}" in order
    }
    return {"kinds": kinds, "order": order}
