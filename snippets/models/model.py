"""A model as a program of layers: which tensors each layer has, and what a token leaves in it.

`snippets/models/reader.py` makes one of a published configuration; parameters, caches, operations and
splits over GPUs (`snippets/model_parameters.py`, `kv_cache.py`, `speed.py` …) are sums over it.
"""

from dataclasses import dataclass, field

from snippets.sources import Source

PARTS = ("embedding", "positions", "attention", "mlp", "experts", "router", "norms", "head")


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """Like tensors: `count` matrices of `inputs` × `outputs`, or vectors where `inputs` is 0.

    `part` is one of PARTS. A token passes over `idle` of them. A tensor split cuts each into at most
    `pieces`; GPUs beyond that hold copies, so 1 is replicated everywhere, the number of key-value
    heads is that of keys and values, and 0 is cut as often as asked.
    """

    name: str
    part: str
    outputs: int
    inputs: int = 0
    count: int = 1
    idle: int = 0
    pieces: int = 0


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer: its tensors, what it keeps of each token, and what a new token looks at.

    A token leaves `cache` elements, of which a tensor split makes at most `cache_pieces` pieces; the
    last `window` tokens are kept (0: all), or one for `every` few (compressed caches), and then those
    of the last `beside_window` too. A sequence
    holds `state` bytes whatever its length. With each token looked at go `scores` multiplications,
    at most `attends` tokens of those cached (0: all), and `choosing` ones for each of the tokens that
    they are chosen from; a `chunked` window starts anew at its multiples. A state costs `recurrence`
    multiplications a token.

    For training: `norms` of the hidden state and `normed` inputs made by them, and `kept` elements of
    a token that a tensor split divides. For a step: the widest inner state, `widest` elements.
    """

    tensors: list[Tensor]
    cache: int = 0
    cache_pieces: int = 0
    window: int = 0
    every: int = 1
    state: float = 0
    scores: int = 0
    attends: int = 0
    choosing: int = 0
    recurrence: int = 0
    beside_window: int = 0
    chunked: bool = False
    norms: int = 0
    normed: int = 0
    kept: int = 0
    widest: int = 0


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What a checkpoint holds beside its language model: a vision tower, a projector, an MTP module."""

    name: str
    parameters: int
    bits: float = 16


@dataclass(frozen=True, kw_only=True)
class Model:
    """A language model: the figures that its configuration states, and the program of its layers.

    Layer i is `kinds[order[i]]`; `around` are the tensors before and after the layers. `stored_bits`
    are the bits of each part's matrices in the published checkpoint, those of "vectors" among them.
    `from_class` names the sizes that the file leaves to its model class. With latent attention,
    `head_dim` is the part of a query or key without rotary positions.
    """

    name: str
    layers: int
    hidden_size: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate_size: int
    vocabulary: int
    context: int
    window: int = 0
    experts: int = 0
    experts_per_token: int = 0
    tied_embeddings: bool = False
    kinds: list[Layer]
    order: list[int]
    around: list[Tensor]
    beside: list[Beside] = field(default_factory=list)
    stored_bits: dict[str, float] = field(default_factory=dict)
    from_class: list[str] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)


def layer_of(model: Model, index: int) -> Layer:
    """Layer `index`, counted from 0."""
    return model.kinds[model.order[index]]


def layer_counts(model: Model) -> list[tuple[Layer, int]]:
    """Each kind of layer, and how many layers are of it."""
    return [(layer, model.order.count(kind)) for kind, layer in enumerate(model.kinds)]
