"""How many parameters one layer of a model has, and what a tensor split and a token make of them."""

from snippets.model_parameters import (
    attention_parameters,
    latent_attention_parameters,
    mlp_parameters,
    norm_parameters,
    router_parameters,
)
from snippets.models import Model


def has_experts(model: Model, layer: int) -> bool:
    """Whether a layer (counted from 0) has experts: all but the first dense ones.

    >>> from snippets.models import deepseek_v3, llama_2_7b
    >>> [has_experts(deepseek_v3, layer) for layer in (0, 2, 3)], has_experts(llama_2_7b, 31)
    ([False, False, True], False)
    """
    return bool(model.experts) and layer >= model.dense_layers


def layer_parameters(model: Model, layer: int) -> int:
    """Parameters of one layer (counted from 0), its norms with it.

    >>> from snippets.models import deepseek_v3, llama_2_7b, mixtral_8x7b
    >>> layer_parameters(llama_2_7b, 5), layer_parameters(mixtral_8x7b, 5)
    (202383360, 1451270144)
    >>> layer_parameters(deepseek_v3, 2), layer_parameters(deepseek_v3, 3)
    (583483392, 11507286272)
    """
    return split_layer_parameters(model, layer) + whole_layer_parameters(model, layer)


def split_layer_parameters(model: Model, layer: int) -> int:
    """Those of a layer's parameters that a tensor split divides: attention, MLP and experts.

    >>> from snippets.models import deepseek_v3, llama_2_7b
    >>> split_layer_parameters(llama_2_7b, 5)
    202375168
    >>> split_layer_parameters(deepseek_v3, 2), split_layer_parameters(deepseek_v3, 3)
    (583469056, 11505436672)
    """
    attention = (latent_attention_parameters if model.latent_size else attention_parameters)(model)
    if not has_experts(model, layer):
        return attention + mlp_parameters(model, model.intermediate_size)
    shared = mlp_parameters(model, model.shared_expert_size) if model.shared_expert_size else 0
    return attention + shared + model.experts * mlp_parameters(model, model.expert_size)


def whole_layer_parameters(model: Model, layer: int) -> int:
    """Those of a layer's parameters that every GPU of a tensor split holds: norms and router.

    >>> from snippets.models import deepseek_v3, llama_2_7b
    >>> whole_layer_parameters(llama_2_7b, 5)
    8192
    >>> whole_layer_parameters(deepseek_v3, 2), whole_layer_parameters(deepseek_v3, 3)
    (14336, 1849600)
    """
    router = router_parameters(model) if has_experts(model, layer) else 0
    return model.norms_per_layer * norm_parameters(model) + router


def active_layer_parameters(model: Model, layer: int) -> int:
    """Parameters of a layer that one token uses: of the experts only those it is sent to.

    >>> from snippets.models import deepseek_v3, mixtral_8x7b
    >>> active_layer_parameters(mixtral_8x7b, 5)
    394305536
    >>> active_layer_parameters(deepseek_v3, 2), active_layer_parameters(deepseek_v3, 3)
    (583483392, 585318656)
    """
    if not has_experts(model, layer):
        return layer_parameters(model, layer)
    passed_over = model.experts - model.experts_per_token
    return layer_parameters(model, layer) - passed_over * mlp_parameters(model, model.expert_size)
