"""Mamba and Mamba 2 alone: no attention, no MLP, no context that ends."""

from snippets.models.blocks import Block, layer
from snippets.models.configuration import (
    Configuration,
    flag,
    value,
    whole,
)
from snippets.models.decoder import Decoder, Shape, shape, tied
from snippets.models.hybrid import LINEAR
from snippets.models.recurrent import mamba1, mamba2


def mamba(config: Configuration) -> Decoder:
    """Mamba alone, and Falcon Mamba: no attention, no MLP, no context that ends."""
    config.given = {"num_attention_heads": 1, "max_position_embeddings": 2**20} | config.given
    found = shape(config)
    inner = whole(config, "expand") * found.hidden
    inner = whole(config, "intermediate_size", "d_inner", default=inner)
    rank = value(config, "time_step_rank")
    block = mamba1(
        found.hidden,
        inner,
        whole(config, "state_size"),
        whole(config, "conv_kernel"),
        -(-found.hidden // 16) if rank in (None, "auto") else whole(config, "time_step_rank"),
        conv_bias=flag(config, "use_conv_bias"),
        bias=flag(config, "use_bias"),
    )
    return alone(config, found, block)


def mamba2_alone(config: Configuration) -> Decoder:
    """Mamba 2 alone."""
    config.given = {"num_attention_heads": 1, "max_position_embeddings": 2**20} | config.given
    found = shape(config)
    block = mamba2(
        found.hidden,
        whole(config, "num_heads"),
        whole(config, "head_dim"),
        whole(config, "n_groups"),
        whole(config, "state_size"),
        whole(config, "conv_kernel"),
        conv_bias=flag(config, "use_conv_bias"),
        bias=flag(config, "use_bias"),
    )
    return alone(config, found, block)


def alone(config: Configuration, found: Shape, block: Block) -> Decoder:
    """A decoder of one block and one norm in each layer."""
    kind = layer([block], hidden=found.hidden, norms_count=1)
    return Decoder(
        shape=found, kinds={LINEAR: kind}, order=[LINEAR] * found.layers, tied=tied(config)
    )
