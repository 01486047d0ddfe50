"""What a layer of a real model keeps for its backward pass, 16 bits an element."""

from snippets.arguments import require_positive
from snippets.models import Model, layer_of


def hidden_kept(model: Model, layer: int) -> int:
    """Elements per token that a layer keeps as wide as the hidden state.

    The input of each norm, and the normed input of attention and of the MLP. A tensor split
    divides them only with sequence parallelism (Korthikanti et al. 2022, section 4.2.2).

    >>> from snippets.models import gemma_2_2b, llama_2_7b, phi_2
    >>> hidden_kept(llama_2_7b, 0), hidden_kept(gemma_2_2b, 0), hidden_kept(phi_2, 0)
    (16384, 13824, 5120)
    """
    found = layer_of(model, layer)
    return (found.norms + found.normed) * model.hidden_size


def layer_kept(model: Model, layer: int) -> int:
    """Elements per token that a layer's attention and MLP keep: what a tensor split divides.

    Queries, keys, values and attention's output, and what query and key norms take in; scores are
    never stored (FlashAttention, Dao et al. 2022, section 3.1). Of a gated MLP: gate, up, the
    activated gate, and their product; of a plain one, before and after the activation. Each expert
    that a token is sent to keeps a copy of its input too.

    >>> from snippets.models import deepseek_v2_lite, llama_2_7b, mixtral_8x7b
    >>> layer_kept(llama_2_7b, 7), layer_kept(mixtral_8x7b, 7)
    (60416, 133120)
    >>> layer_kept(deepseek_v2_lite, 0), layer_kept(deepseek_v2_lite, 1)
    (55104, 68672)
    """
    return layer_of(model, layer).kept


def layer_kept_bytes(
    model: Model, layer: int, *, tokens: float, tensor: int = 1, sequence_parallel: bool = True
) -> float:
    """Bytes that one GPU of a tensor split keeps of one layer for `tokens` tokens.

    >>> from snippets.models import llama_2_7b
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=10)
    1536000.0
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=10, tensor=8)
    192000.0
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=10, tensor=8, sequence_parallel=False)
    478720.0
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=0)
    Traceback (most recent call last):
    ValueError: tokens must be a positive number, not 0
    """
    require_positive(tokens=tokens, tensor=tensor)
    hidden = hidden_kept(model, layer) / (tensor if sequence_parallel else 1)
    return 2 * tokens * (hidden + layer_kept(model, layer) / tensor)
