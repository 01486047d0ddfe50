"""T5 and its kin: an encoder reads, a decoder writes and looks at what the encoder made of the text."""

from dataclasses import replace

from snippets.models.blocks import attention, layer, mlp, vector
from snippets.models.configuration import Configuration, value, whole
from snippets.models.decoder import Decoder, shape


def t5(config: Configuration) -> Decoder:
    """The decoder's layers as those of the model; the encoder stands around them.

    Positions are learned distances, of the first layer of both (UMT5: of every layer). A new token
    leaves its own keys and values; those of the text read depend on that text's length.
    """
    base = shape(config, "d_kv")
    layers = whole(config, "num_decoder_layers", default=base.layers)
    found = replace(base, layers=layers)
    hidden, heads = found.hidden, found.heads
    gated = "gated" in str(value(config, "feed_forward_proj") or "")
    own = attention(hidden, heads, heads, found.head_dim)
    block = mlp(hidden, found.width, gated=gated)
    buckets = heads * whole(config, "relative_attention_num_buckets")
    both = replace(own, tensors=own.tensors + own.tensors, kept=2 * own.kept)
    kind = layer([both, block], hidden=hidden, norms_count=3, normed=3)
    read = layer([own, block], hidden=hidden)
    value(config, "tie_word_embeddings")  # the class ties them whatever it says
    everywhere = config.kind == "umt5"
    encoder = [replace(each, count=each.count * base.layers) for each in read.tensors]
    distances = base.layers + layers if everywhere else 2
    return Decoder(
        shape=found,
        kinds={"decoder": kind},
        order=["decoder"] * layers,
        tied=True,
        around=[
            *encoder,
            vector("norm", "norms", hidden),
            vector("distances", "attention", buckets, count=distances),
        ],
    )
