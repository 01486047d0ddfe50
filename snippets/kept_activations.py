"""What a layer of a real model keeps for its backward pass, 16 bits an element."""

from snippets.arguments import require_positive
from snippets.models import Model, layer_of


def layer_kept_bytes(
    model: Model, layer: int, *, tokens: float, tensor: int = 1, sequence_parallel: bool = True
) -> float:
    """Bytes that one GPU of a tensor split keeps of one layer for `tokens` tokens.

    As wide as the hidden state: the input of each norm, and the normed input of attention and of
    the MLP, which a tensor split divides only with sequence parallelism (Korthikanti et al. 2022,
    section 4.2.2). It divides the rest: queries, keys, values and attention's output, and what query
    and key norms take in (scores are never stored: FlashAttention, Dao et al. 2022, section 3.1);
    gate, up, the activated gate and their product, or the two sides of a plain MLP's activation;
    the copy of its input that each expert keeps. Of keys and values each GPU keeps one head at least,
    of latent vectors all.

    >>> from snippets.models import deepseek_v2_lite, gemma_2b, llama_2_7b, mixtral_8x7b
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=10)
    1536000.0
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=10, tensor=8)
    192000.0
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=10, tensor=8, sequence_parallel=False)
    478720.0
    >>> layer_kept_bytes(mixtral_8x7b, 7, tokens=10), layer_kept_bytes(gemma_2b, 7, tokens=10)
    (2990080.0, 1566720.0)
    >>> [layer_kept_bytes(deepseek_v2_lite, layer, tokens=10) for layer in (0, 1)]
    [1265920.0, 1537280.0]
    >>> [8 * layer_kept_bytes(model, 7, tokens=10, tensor=8) - layer_kept_bytes(model, 7, tokens=10)
    ...  for model in (gemma_2b, deepseek_v2_lite)]
    [71680.0, 80640.0]
    >>> layer_kept_bytes(llama_2_7b, 7, tokens=0)
    Traceback (most recent call last):
    ValueError: tokens must be a positive number, not 0
    """
    require_positive(tokens=tokens, tensor=tensor)
    found = layer_of(model, layer)
    hidden = (found.norms + found.normed) * model.hidden_size
    pieces = min(tensor, found.cache_pieces or tensor)
    split = (found.kept - found.cache) / tensor + found.cache / pieces
    return 2 * tokens * (hidden / (tensor if sequence_parallel else 1) + split)
