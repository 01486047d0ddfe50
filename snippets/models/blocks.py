"""What layers are built of: attention, MLPs, experts and norms, each as the tensors it has."""

from dataclasses import dataclass

from snippets.models.model import Layer, Tensor


@dataclass(frozen=True, kw_only=True)
class Block:
    """A half of a layer, attention or MLP: what of it goes into the Layer, named as there."""

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
    kept: int = 0
    widest: int = 0


def matrix(
    name: str,
    part: str,
    inputs: int,
    outputs: int,
    *,
    pieces: int = 0,
    bias: bool = False,
    count: int = 1,
    idle: int = 0,
) -> list[Tensor]:
    """A matrix and perhaps its bias, which is cut with the rows that it is added to."""
    made = [
        Tensor(
            name=name,
            part=part,
            inputs=inputs,
            outputs=outputs,
            pieces=pieces,
            count=count,
            idle=idle,
        )
    ]
    if bias:
        whole = name in ("output", "down")  # summed over GPUs before the bias is added
        bias_pieces = 1 if whole else pieces
        made += [vector(name, part, outputs, pieces=bias_pieces, count=count, idle=idle)]
    return made


def vector(
    name: str, part: str, size: int, *, pieces: int = 1, count: int = 1, idle: int = 0
) -> Tensor:
    """A vector of parameters, `count` of them."""
    return Tensor(name=name, part=part, outputs=size, pieces=pieces, count=count, idle=idle)


def norms(size: int, count: int, *, bias: bool = False) -> list[Tensor]:
    """Norms of the hidden state: LayerNorm has scales and biases, RMSNorm scales alone."""
    return [vector("norm", "norms", size * (2 if bias else 1), count=count)] if count else []


def attention(
    hidden: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    *,
    value_dim: int = 0,
    bias: bool = False,
    output_bias: bool = False,
    query_norm: int = 0,
    key_norm: int = 0,
    gate: int = 0,
    gate_bias: bool = False,
    vectors: int = 0,
    values: bool = True,
    own_cache: bool = True,
    window: int = 0,
    chunked: bool = False,
) -> Block:
    """Attention with grouped queries (Ainslie et al. 2023, section 2.2).

    Queries are heads × head_dim wide, keys kv_heads × head_dim, values kv_heads × value_dim. `gate` is
    the width of a gate on the output, `vectors` are further parameters for each head (sinks). Keys
    serve as values without `values`; an earlier layer's keys and values without `own_cache`.
    """
    query, key = heads * head_dim, kv_heads * head_dim
    value = kv_heads * (value_dim or head_dim)
    output = heads * (value_dim or head_dim)
    made = matrix("query", "attention", hidden, query, bias=bias)
    if own_cache:
        made += matrix("key", "attention", hidden, key, pieces=kv_heads, bias=bias)
    if own_cache and values:
        made += matrix("value", "attention", hidden, value, pieces=kv_heads, bias=bias)
    made += matrix("output", "attention", output, hidden, bias=output_bias)
    if gate:
        made += matrix("attention_gate", "attention", hidden, gate, bias=gate_bias)
    if vectors:
        made += [vector("sinks", "attention", vectors * heads, pieces=0)]
    if query_norm:
        made += [vector("query_norm", "attention", query_norm)]
    if key_norm and own_cache:
        made += [vector("key_norm", "attention", key_norm)]
    wide = query + output + gate + (key + value if own_cache else 0)
    before_norms = (query if query_norm else 0) + (key if key_norm and own_cache else 0)
    return Block(
        tensors=made,
        cache=key + value if own_cache else 0,
        cache_pieces=kv_heads,
        window=window,
        chunked=chunked,
        scores=heads * (head_dim + (value_dim or head_dim)),
        kept=wide + before_norms,
        widest=wide,
    )


def latent_attention(
    hidden: int,
    heads: int,
    nope: int,
    rotary: int,
    value_dim: int,
    latent: int,
    query_latent: int,
    *,
    bias: bool = False,
    index_heads: int = 0,
    index_dim: int = 0,
    attends: int = 0,
) -> Block:
    """Multi-head latent attention (DeepSeek-AI 2024, section 2.1).

    Keys and values are stored as one latent vector and one rotary key for all heads, unfolded for
    each; queries may pass through a latent vector of their own. Both latent vectors are normed. The
    projections to latent vectors are on every GPU of a tensor split. With an indexer of
    `index_heads` heads (DeepSeek-V3.2), a token attends to the `attends` tokens that it picks.
    """
    query = heads * (nope + rotary)
    made = []
    if query_latent:
        made += matrix("query_down", "attention", hidden, query_latent, pieces=1, bias=bias)
        made += [vector("query_norm", "attention", query_latent)]
        made += matrix("query_up", "attention", query_latent, query)
    else:
        made += matrix("query", "attention", hidden, query)
    made += matrix("key_value_down", "attention", hidden, latent + rotary, pieces=1, bias=bias)
    made += [vector("key_value_norm", "attention", latent)]
    made += matrix("key_value_up", "attention", latent, heads * (nope + value_dim))
    made += matrix("output", "attention", heads * value_dim, hidden, bias=bias)
    if index_heads:
        made += matrix("index_query", "attention", query_latent, index_heads * index_dim, pieces=1)
        made += matrix("index_key", "attention", hidden, index_dim, pieces=1)
        made += [vector("index_norm", "attention", 2 * index_dim)]
        made += matrix("index_weight", "attention", hidden, index_heads, pieces=1)
    unfolded = 2 * query + 2 * heads * value_dim
    return Block(
        tensors=made,
        cache=latent + rotary + (index_dim if index_heads else 0),
        cache_pieces=1,
        scores=heads * (nope + rotary + value_dim),
        attends=attends,
        choosing=index_heads * index_dim,
        kept=unfolded + 2 * (latent + query_latent) + rotary,
        widest=unfolded,
    )


def mlp(
    hidden: int,
    width: int,
    *,
    gated: bool = True,
    bias: bool = False,
    part: str = "mlp",
    count: int = 1,
    used: int = 1,
) -> Block:
    """An MLP `width` wide: three matrices when gated (Shazeer 2020), else two.

    Of `count` MLPs alike (experts), a token is sent to `used`.
    """
    made = []
    for name in ["gate", "up"] if gated else ["up"]:
        made += matrix(name, part, hidden, width, bias=bias, count=count, idle=count - used)
    made += matrix("down", part, width, hidden, bias=bias, count=count, idle=count - used)
    inner = used * width * (2 if gated else 1)
    return Block(tensors=made, kept=2 * inner, widest=inner)


def experts(
    hidden: int,
    count: int,
    used: int,
    width: int,
    *,
    gated: bool = True,
    bias: bool = False,
    router_bias: bool = False,
    router_vectors: int = 0,
    shared: int = 0,
    shared_gate: bool = False,
    shared_gated: bool = True,
    latent: int = 0,
) -> Block:
    """Experts `width` wide and their router, and perhaps a `shared` one for every token.

    Each expert that a token is sent to keeps a copy of its input. With `latent` they work on a
    narrower state, which two matrices lead to and from.
    """
    if used > count:
        raise ValueError(f"a token cannot use {used} of {count} experts")
    inside = latent or hidden
    routed = mlp(inside, width, gated=gated, bias=bias, part="experts", count=count, used=used)
    made = routed.tensors + matrix("router", "router", hidden, count, pieces=1, bias=router_bias)
    if router_vectors:
        made += [vector("router", "router", router_vectors)]
    kept, widest = routed.kept + used * inside, routed.widest
    if latent:
        made += matrix("latent_down", "mlp", hidden, latent, pieces=1)
        made += matrix("latent_up", "mlp", latent, hidden, pieces=1)
        kept += 2 * latent
    if shared:
        beside = mlp(hidden, shared, gated=gated and shared_gated, bias=bias)
        made += beside.tensors
        kept += beside.kept
        widest += beside.widest
    if shared_gate:
        made += matrix("shared_gate", "router", hidden, 1, pieces=1)
    return Block(tensors=made, kept=kept, widest=widest)


def layer(
    blocks: list[Block], *, hidden: int, norms_count: int = 2, normed: int = 2, bias: bool = False
) -> Layer:
    """A layer of blocks and norms: at most one of them has a cache or a state."""
    made: list[Tensor] = []
    for block in blocks:
        made += block.tensors
    made += norms(hidden, norms_count, bias=bias)
    mixer = blocks[0]
    return Layer(
        tensors=made,
        cache=mixer.cache,
        cache_pieces=mixer.cache_pieces,
        window=mixer.window,
        every=mixer.every,
        state=mixer.state,
        scores=mixer.scores,
        attends=mixer.attends,
        choosing=mixer.choosing,
        recurrence=mixer.recurrence,
        beside_window=mixer.beside_window,
        chunked=mixer.chunked,
        norms=norms_count,
        normed=min(norms_count, normed),
        kept=sum(block.kept for block in blocks),
        widest=max(block.widest for block in blocks),
    )
