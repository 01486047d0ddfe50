"""What a conversation keeps: keys and values of every token, layer by layer."""

from snippets.arguments import require_count, require_not_negative, require_positive
from snippets.models import Layer, Model, layer_counts


def cache_growth(model: Model, bytes_per_element: float = 2) -> float:
    """Bytes that each token adds to the cache while no sliding window is full yet.

    A key and a value per key-value head of each layer; with latent attention one latent vector and
    one rotary key for all heads together (DeepSeek-AI 2024, section 2.1); nothing in a layer that
    keeps a state. A compressed cache grows by a share of an element.

    >>> from snippets.models import deepseek_v2, mistral_small_24b
    >>> cache_growth(mistral_small_24b), cache_growth(deepseek_v2), cache_growth(deepseek_v2, 1.5)
    (163840.0, 69120.0, 51840.0)
    >>> cache_growth(deepseek_v2, 0)
    Traceback (most recent call last):
    ValueError: bytes_per_element must be a positive number, not 0
    """
    require_positive(bytes_per_element=bytes_per_element)
    elements = sum(count * layer.cache / layer.every for layer, count in layer_counts(model))
    return elements * bytes_per_element


def layer_tokens(layer: Layer, tokens: float) -> float:
    """Entries of a layer's cache after `tokens` tokens: those of its window, or one for a few.

    >>> from snippets.models import gemma_3_1b
    >>> [layer_tokens(kind, 5000) for kind in gemma_3_1b.kinds]
    [5000.0, 512.0]
    >>> layer_tokens(Layer(tensors=[], every=4, beside_window=128), 5000)
    1378.0
    """
    kept = min(layer.window, tokens) if layer.window else tokens
    return kept / layer.every + min(layer.beside_window, tokens)


def cached_tokens(model: Model, tokens: float) -> float:
    """Tokens that all layers hold together, each those of its window: sum of min(window, tokens).

    >>> from snippets.models import gemma_3_1b, llama_2_7b
    >>> cached_tokens(gemma_3_1b, 5000), cached_tokens(gemma_3_1b, 500)
    (31264.0, 13000.0)
    >>> cached_tokens(llama_2_7b, 5000), cached_tokens(llama_2_7b, 0)
    (160000.0, 0.0)
    >>> cached_tokens(llama_2_7b, -1)
    Traceback (most recent call last):
    ValueError: tokens must be zero or a positive number, not -1
    """
    require_not_negative(tokens=tokens)
    return sum(
        count * layer_tokens(layer, tokens) for layer, count in layer_counts(model) if layer.cache
    )


def state_bytes(model: Model) -> float:
    """Bytes that a conversation keeps whatever its length: the states of recurrent layers.

    >>> from snippets.models import llama_2_7b
    >>> state_bytes(llama_2_7b)
    0
    """
    return sum(count * layer.state for layer, count in layer_counts(model))


def cache_bytes(model: Model, *, tokens: float, bytes_per_element: float = 2) -> float:
    """Bytes of one conversation's cache after `tokens` tokens, and of its states.

    >>> from snippets.models import gemma_3_1b, llama_2_7b
    >>> cache_bytes(llama_2_7b, tokens=4096), cache_bytes(gemma_3_1b, tokens=5000)
    (2147483648.0, 32014336.0)
    >>> cache_bytes(gemma_3_1b, tokens=5000, bytes_per_element=1)
    16007168.0
    >>> cache_bytes(gemma_3_1b, tokens=5000, bytes_per_element=0)
    Traceback (most recent call last):
    ValueError: bytes_per_element must be a positive number, not 0
    """
    return cache_share_bytes(model, tokens=tokens, bytes_per_element=bytes_per_element, tensor=1)


def cache_share_bytes(
    model: Model, *, tokens: float, bytes_per_element: float = 2, tensor: int
) -> float:
    """Bytes of a conversation's cache and states on each of `tensor` GPUs that split the heads.

    Key-value heads fewer than GPUs are held by several of them, a latent cache by all.

    >>> from snippets.models import deepseek_v2, gemma_2b, llama_3_1_8b
    >>> [cache_share_bytes(llama_3_1_8b, tokens=1000, tensor=n) for n in (1, 4, 16)]
    [131072000.0, 32768000.0, 16384000.0]
    >>> [cache_share_bytes(deepseek_v2, tokens=1000, tensor=n) for n in (1, 8)]
    [69120000.0, 69120000.0]
    >>> cache_share_bytes(llama_3_1_8b, tokens=1000, tensor=0)
    Traceback (most recent call last):
    ValueError: tensor must be a whole number from 1 up, not 0
    """
    require_positive(bytes_per_element=bytes_per_element)
    require_not_negative(tokens=tokens)
    require_count(tensor=tensor)
    held = 0.0
    for layer, count in layer_counts(model):
        kept = layer.cache * layer_tokens(layer, tokens) * bytes_per_element
        pieces = min(tensor, layer.cache_pieces or tensor)
        held += count * (kept / pieces + layer.state / tensor)
    return held
