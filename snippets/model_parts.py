"""What a model is made of, and what of it each GPU of a tensor split holds.

Plans ask it for the parts of a layer, of the embedding and of the head; `split_parameters` gives
what one GPU has of them, in parameters or in bits.
"""

from dataclasses import dataclass

from snippets.layer_parameters import has_experts
from snippets.model_parameters import (
    attention_parameters,
    latent_attention_parameters,
    mlp_biases,
    mlp_parameters,
    norm_parameters,
    router_parameters,
)
from snippets.models import Model


@dataclass(frozen=True)
class Part:
    """Parameters that are stored and split alike.

    `kind` is "matrix", "expert" or "other", by the bits that a weight format has for it. A tensor
    split cuts it into at most `pieces`, and GPUs beyond that hold copies: 1 is on every GPU, 0 is
    cut as often as asked.
    """

    kind: str
    parameters: int
    pieces: int = 0


def attention_parts(model: Model) -> list[Part]:
    """One layer's attention: keys and values by key-value head, latent projections whole.

    >>> from snippets.models import deepseek_v2_lite, qwen3_0_6b
    >>> attention_parts(qwen3_0_6b)  # doctest: +NORMALIZE_WHITESPACE
    [Part(kind='matrix', parameters=2097152, pieces=8),
     Part(kind='matrix', parameters=256, pieces=1), Part(kind='matrix', parameters=4194304, pieces=0)]
    >>> attention_parts(deepseek_v2_lite)  # doctest: +NORMALIZE_WHITESPACE
    [Part(kind='matrix', parameters=1180160, pieces=1),
     Part(kind='matrix', parameters=12582912, pieces=0)]
    """
    if model.latent_size:
        inputs = model.latent_size + model.rotary_dim + model.query_latent_size
        norms = model.latent_size + model.query_latent_size
        latent = model.hidden_size * inputs + norms
        return [
            Part("matrix", latent, 1),
            Part("matrix", latent_attention_parameters(model) - latent),
        ]
    inputs = model.hidden_size + (1 if model.query_key_value_bias else 0)
    keys_and_values = 2 * model.kv_heads * model.head_dim * inputs
    rest = attention_parameters(model) - keys_and_values - model.query_key_norm
    return [
        Part("matrix", keys_and_values, model.kv_heads),
        Part("matrix", model.query_key_norm, 1),
        Part("matrix", rest),
    ]


def layer_parts(model: Model, layer: int) -> list[Part]:
    """A layer (counted from 0): attention, MLP or experts, and its norms and router on every GPU.

    >>> from snippets.models import gpt_oss_20b, llama_2_7b
    >>> [part.parameters for part in layer_parts(llama_2_7b, 7)]
    [33554432, 0, 33554432, 8192, 135266304]
    >>> [part.parameters for part in layer_parts(gpt_oss_20b, 7)]
    [2950144, 0, 23600000, 5760, 0, 796262400, 276480, 92192]
    """
    parts = [
        *attention_parts(model),
        Part("other", model.norms_per_layer * norm_parameters(model), 1),
    ]
    if not has_experts(model, layer):
        return [*parts, Part("matrix", mlp_parameters(model, model.intermediate_size))]
    biases = mlp_biases(model, model.expert_size)
    shared = mlp_parameters(model, model.shared_expert_size) if model.shared_expert_size else 0
    return [
        *parts,
        Part("matrix", shared),
        Part("expert", model.experts * (mlp_parameters(model, model.expert_size) - biases)),
        Part("other", model.experts * biases),
        Part("other", router_parameters(model), 1),
    ]


def embedding_parts(model: Model) -> list[Part]:
    """The embedding, and the learned positions that are added to it.

    >>> from snippets.models import gpt2_xl
    >>> embedding_parts(gpt2_xl)
    [Part(kind='other', parameters=82049600, pieces=0)]
    """
    return [Part("other", (model.vocabulary + model.learned_positions) * model.hidden_size)]


def head_parameters(model: Model) -> int:
    """Parameters that the output head multiplies by, its own or the tied embedding's.

    >>> from snippets.models import llama_3_2_1b, phi_2
    >>> head_parameters(llama_3_2_1b), head_parameters(phi_2)
    (262668288, 131123200)
    """
    return model.vocabulary * model.hidden_size + (model.vocabulary if model.head_bias else 0)


def head_parts(model: Model, *, tied: bool) -> list[Part]:
    """The last norm and the output head, which where it is `tied` is the embedding beside it.

    >>> from snippets.models import llama_2_7b
    >>> head_parts(llama_2_7b, tied=False)  # doctest: +NORMALIZE_WHITESPACE
    [Part(kind='other', parameters=4096, pieces=1),
     Part(kind='other', parameters=131072000, pieces=0)]
    >>> head_parts(llama_2_7b, tied=True)[1].parameters
    0
    """
    bias = model.vocabulary if model.head_bias else 0
    own = bias if tied else head_parameters(model)
    return [Part("other", norm_parameters(model), 1), Part("other", own)]


def split_parameters(parts: list[Part], tensor: int = 1) -> float:
    """Parameters of these parts on each of `tensor` GPUs.

    >>> parts = [Part("matrix", 840), Part("matrix", 210, 2), Part("other", 7, 1)]
    >>> split_parameters(parts), split_parameters(parts, 2), split_parameters(parts, 8)
    (1057.0, 532.0, 217.0)
    """
    return sum(part.parameters / min(tensor, part.pieces or tensor) for part in parts)
