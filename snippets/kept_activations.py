"""What a layer of a real model keeps for its backward pass, 16 bits an element."""

from snippets.arguments import require_positive
from snippets.layer_parameters import has_experts
from snippets.models import Model


def hidden_kept(model: Model) -> int:
    """Elements per token that one layer keeps as wide as the hidden state.

    The input of each norm, and the normed input of attention and of the MLP. A tensor split
    divides them only with sequence parallelism (Korthikanti et al. 2022, section 4.2.2).

    >>> from snippets.models import gemma_2_2b, llama_2_7b, phi_2
    >>> hidden_kept(llama_2_7b), hidden_kept(gemma_2_2b), hidden_kept(phi_2)
    (16384, 13824, 5120)
    """
    normed = min(model.norms_per_layer, 2)
    return (model.norms_per_layer + normed) * model.hidden_size


def attention_kept(model: Model) -> int:
    """Elements per token that one layer's attention keeps: queries, keys, values and its output.

    Scores are never stored (FlashAttention, Dao et al. 2022, section 3.1). With query and key
    norms also their inputs; with latent attention also the latent vectors.

    >>> from snippets.models import deepseek_v2, llama_3_1_8b, qwen3_8b
    >>> attention_kept(llama_3_1_8b), attention_kept(qwen3_8b), attention_kept(deepseek_v2)
    (10240, 15360, 86080)
    """
    if model.latent_size:
        query_or_key = model.heads * (model.head_dim + model.rotary_dim)
        value_or_output = model.heads * model.value_dim
        latents = 2 * (model.latent_size + model.query_latent_size) + model.rotary_dim
        return 2 * query_or_key + 2 * value_or_output + latents
    query = model.heads * model.head_dim
    key = model.kv_heads * model.head_dim
    before_norms = query + key if model.query_key_norm else 0
    return 2 * query + 2 * key + before_norms


def mlp_kept(model: Model, width: int) -> int:
    """Elements per token that an MLP `width` wide keeps.

    Gated: gate, up, the activated gate, and their product. Plain: before and after the activation.

    >>> from snippets.models import gpt2_xl, llama_2_7b
    >>> mlp_kept(llama_2_7b, 11), mlp_kept(gpt2_xl, 11)
    (44, 22)
    """
    return (4 if model.gated_mlp else 2) * width


def layer_kept(model: Model, layer: int) -> int:
    """Elements per token that a layer's attention and MLP keep: what a tensor split divides.

    Each expert that a token is sent to keeps a copy of its input.

    >>> from snippets.models import deepseek_v2_lite, llama_2_7b, mixtral_8x7b
    >>> layer_kept(llama_2_7b, 7), layer_kept(mixtral_8x7b, 7)
    (60416, 133120)
    >>> layer_kept(deepseek_v2_lite, 0), layer_kept(deepseek_v2_lite, 1)
    (55104, 68672)
    """
    if not has_experts(model, layer):
        return attention_kept(model) + mlp_kept(model, model.intermediate_size)
    expert = model.hidden_size + mlp_kept(model, model.expert_size)
    shared = mlp_kept(model, model.shared_expert_size)
    return attention_kept(model) + shared + model.experts_per_token * expert


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
    hidden = hidden_kept(model) / (tensor if sequence_parallel else 1)
    return 2 * tokens * (hidden + layer_kept(model, layer) / tensor)
