"""Layers that keep a state instead of a cache: state spaces, delta rules, short convolutions."""

from snippets.models.blocks import Block, matrix, vector
from snippets.models.model import Tensor

STATE_BYTES = 4  # states are kept in FP32; the last inputs of the convolution in 16 bits


def convolution(channels: int, kernel: int, *, bias: bool) -> list[Tensor]:
    """A convolution over the last `kernel` tokens, for each channel alone."""
    made = [vector("convolution", "attention", channels * kernel, pieces=0)]
    return made + ([vector("convolution", "attention", channels, pieces=0)] if bias else [])


def mamba2(
    hidden: int,
    heads: int,
    head_dim: int,
    groups: int,
    state: int,
    kernel: int,
    *,
    conv_bias: bool = True,
    bias: bool = False,
    output_bias: bool | None = None,
    norm: bool = True,
) -> Block:
    """Mamba 2 (Dao and Gu 2024, section 7): a state of head_dim × state for each head.

    The output has a bias where the input has one, if `output_bias` does not say otherwise.
    """
    inner = heads * head_dim
    shared = 2 * groups * state
    made = matrix("in", "attention", hidden, 2 * inner + heads, bias=bias)
    made += matrix("in_groups", "attention", hidden, shared, pieces=groups, bias=bias)
    made += convolution(inner + shared, kernel, bias=conv_bias)
    made += [vector("decay", "attention", heads, count=3, pieces=0)]
    made += [vector("gate_norm", "attention", inner, pieces=0)] if norm else []
    last = bias if output_bias is None else output_bias
    made += matrix("output", "attention", inner, hidden, bias=last)
    return Block(
        tensors=made,
        state=STATE_BYTES * inner * state + 2 * (inner + shared) * kernel,
        recurrence=3 * inner * state,
        kept=4 * inner + shared + heads,
        widest=2 * inner + shared,
    )


def mamba1(
    hidden: int,
    inner: int,
    state: int,
    kernel: int,
    rank: int,
    *,
    conv_bias: bool = True,
    bias: bool = False,
    norms: bool = False,
) -> Block:
    """Mamba (Gu and Dao 2023, section 3): a state of `state` for each channel."""
    made = matrix("in", "attention", hidden, 2 * inner, bias=bias)
    made += convolution(inner, kernel, bias=conv_bias)
    made += matrix("select", "attention", inner, rank + 2 * state)
    made += matrix("step", "attention", rank, inner, bias=True)
    made += [vector("decay", "attention", inner * (state + 1), pieces=0)]
    made += matrix("output", "attention", inner, hidden, bias=bias)
    made += [vector("select_norm", "attention", rank + 2 * state)] if norms else []
    return Block(
        tensors=made,
        state=STATE_BYTES * inner * state + 2 * inner * kernel,
        recurrence=3 * inner * state,
        kept=5 * inner + 2 * (rank + 2 * state),
        widest=3 * inner,
    )


def delta_net(
    hidden: int, key_heads: int, value_heads: int, key_dim: int, value_dim: int, kernel: int
) -> Block:
    """Gated DeltaNet (Yang et al. 2024): a state of key_dim × value_dim for each value head."""
    keys, values = key_heads * key_dim, value_heads * value_dim
    made = matrix("in_keys", "attention", hidden, 2 * keys, pieces=key_heads)
    made += matrix("in_values", "attention", hidden, 2 * values + 2 * value_heads)
    made += convolution(2 * keys + values, kernel, bias=False)
    made += [vector("decay", "attention", 2 * value_heads, pieces=0)]
    made += [vector("gate_norm", "attention", value_dim)]
    made += matrix("output", "attention", values, hidden)
    return Block(
        tensors=made,
        state=STATE_BYTES * value_heads * key_dim * value_dim + 2 * (2 * keys + values) * kernel,
        recurrence=4 * value_heads * key_dim * value_dim,
        kept=2 * (2 * keys + values) + 3 * values,
        widest=2 * keys + 3 * values,
    )


def kimi_delta(hidden: int, heads: int, head_dim: int, kernel: int) -> Block:
    """Kimi Delta Attention: a delta rule whose forgetting is learned for each channel."""
    wide = heads * head_dim
    made = matrix("in", "attention", hidden, 3 * wide)
    made += convolution(3 * wide, kernel, bias=False)
    made += matrix("step", "attention", hidden, heads)
    for name in ["forget", "gate"]:
        made += matrix(f"{name}_down", "attention", hidden, head_dim, pieces=1)
        made += matrix(f"{name}_up", "attention", head_dim, wide)
    made += [vector("decay", "attention", wide + heads, pieces=0)]
    made += [vector("gate_norm", "attention", head_dim)]
    made += matrix("output", "attention", wide, hidden)
    return Block(
        tensors=made,
        state=STATE_BYTES * wide * head_dim + 2 * 3 * wide * kernel,
        recurrence=4 * wide * head_dim,
        kept=9 * wide,
        widest=5 * wide,
    )


def lightning(hidden: int, heads: int, head_dim: int) -> Block:
    """Lightning attention (Qin et al. 2024): a state of head_dim² for each head."""
    wide = heads * head_dim
    made = matrix("query_key_value", "attention", hidden, 3 * wide)
    made += matrix("gate", "attention", hidden, wide)
    made += [vector("gate_norm", "attention", wide, pieces=0)]
    made += matrix("output", "attention", wide, hidden)
    return Block(
        tensors=made,
        state=STATE_BYTES * wide * head_dim,
        recurrence=2 * wide * head_dim,
        kept=6 * wide,
        widest=5 * wide,
    )


def short_convolution(hidden: int, kernel: int, *, bias: bool) -> Block:
    """LFM2's layer: a gated convolution over a few tokens."""
    made = matrix("in", "attention", hidden, 3 * hidden, bias=bias)
    made += convolution(hidden, kernel, bias=bias)
    made += matrix("output", "attention", hidden, hidden, bias=bias)
    return Block(tensors=made, state=2 * hidden * kernel, kept=5 * hidden, widest=3 * hidden)
