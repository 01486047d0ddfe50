"""What a conversation keeps: keys and values of every token, layer by layer."""

from snippets.arguments import require_count, require_not_negative, require_positive
from snippets.models import Model


def cache_elements(model: Model) -> int:
    """Elements that one token leaves in one layer's cache.

    A key and a value per key-value head; with latent attention one latent vector and one rotary
    key for all heads together (DeepSeek-AI 2024, section 2.1).

    >>> from snippets.models import deepseek_v2, qwen3_0_6b
    >>> cache_elements(qwen3_0_6b), cache_elements(deepseek_v2)
    (2048, 576)
    """
    if model.latent_size:
        return model.latent_size + model.rotary_dim
    return 2 * model.kv_heads * model.head_dim


def cache_growth(model: Model, bytes_per_element: float = 2) -> float:
    """Bytes that each token adds to the cache while no sliding window is full yet.

    >>> from snippets.models import deepseek_v2, mistral_small_24b
    >>> cache_growth(mistral_small_24b), cache_growth(deepseek_v2), cache_growth(deepseek_v2, 1.5)
    (163840, 69120, 51840.0)
    >>> cache_growth(deepseek_v2, 0)
    Traceback (most recent call last):
    ValueError: bytes_per_element must be a positive number, not 0
    """
    require_positive(bytes_per_element=bytes_per_element)
    return model.layers * cache_elements(model) * bytes_per_element


def cached_tokens(model: Model, tokens: float) -> float:
    """Tokens that all layers hold together, each those of its window: sum of min(window, tokens).

    >>> from snippets.models import gemma_3_1b, llama_2_7b
    >>> cached_tokens(gemma_3_1b, 5000), cached_tokens(gemma_3_1b, 500)
    (31264, 13000)
    >>> cached_tokens(llama_2_7b, 5000), cached_tokens(llama_2_7b, 0)
    (160000, 0)
    >>> cached_tokens(llama_2_7b, -1)
    Traceback (most recent call last):
    ValueError: tokens must be zero or a positive number, not -1
    """
    require_not_negative(tokens=tokens)
    full = (model.layers - model.windowed_layers) * tokens
    return full + model.windowed_layers * min(model.window, tokens)


def cache_bytes(model: Model, *, tokens: float, bytes_per_element: float = 2) -> float:
    """Bytes of one conversation's cache after `tokens` tokens.

    >>> from snippets.models import gemma_3_1b, llama_2_7b
    >>> cache_bytes(llama_2_7b, tokens=4096), cache_bytes(gemma_3_1b, tokens=5000)
    (2147483648, 32014336)
    >>> cache_bytes(gemma_3_1b, tokens=5000, bytes_per_element=1)
    16007168
    >>> cache_bytes(gemma_3_1b, tokens=5000, bytes_per_element=0)
    Traceback (most recent call last):
    ValueError: bytes_per_element must be a positive number, not 0
    """
    require_positive(bytes_per_element=bytes_per_element)
    return cached_tokens(model, tokens) * cache_elements(model) * bytes_per_element


def cache_share(model: Model, tensor: int) -> float:
    """Share of the cache on each of `tensor` GPUs that split the heads.

    Key-value heads fewer than GPUs are held by several of them, a latent cache by all.

    >>> from snippets.models import deepseek_v2, gemma_2b, llama_3_1_8b
    >>> cache_share(llama_3_1_8b, 4), cache_share(llama_3_1_8b, 16), cache_share(gemma_2b, 8)
    (0.25, 0.125, 1.0)
    >>> cache_share(deepseek_v2, 8)
    1
    >>> cache_share(llama_3_1_8b, 0)
    Traceback (most recent call last):
    ValueError: tensor must be a whole number from 1 up, not 0
    """
    require_count(tensor=tensor)
    if model.latent_size:
        return 1
    return 1 / min(tensor, model.kv_heads)
