"""How many parameters a model has, part by part, to the last one."""

from dataclasses import dataclass

from snippets.models import Model


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """A model's parameters by part, in elements, summed over its layers."""

    embedding: int
    positions: int
    attention: int
    mlp: int
    experts: int
    router: int
    norms: int
    head: int


def attention_parameters(model: Model) -> int:
    """Parameters of one layer's attention: queries, keys, values, output, their biases and norms.

    Queries and output are heads x head_dim wide, keys and values kv_heads x head_dim
    (Ainslie et al. 2023, section 2.2); head_dim need not be hidden_size / heads.

    >>> from snippets.models import gpt2_xl, gpt_oss_20b, qwen3_0_6b
    >>> attention_parameters(gpt2_xl)
    10246400
    >>> attention_parameters(gpt_oss_20b)
    26550144
    >>> attention_parameters(qwen3_0_6b)
    6291712
    """
    query_width = model.heads * model.head_dim
    key_value_width = 2 * model.kv_heads * model.head_dim
    matrices = model.hidden_size * (query_width + key_value_width + query_width)
    biases = 0
    if model.query_key_value_bias:
        biases += query_width + key_value_width
    if model.output_bias:
        biases += model.hidden_size
    sinks = model.heads if model.attention_sinks else 0
    return matrices + biases + sinks + model.query_key_norm


def latent_attention_parameters(model: Model) -> int:
    """Parameters of one layer's multi-head latent attention (DeepSeek-AI 2024, section 2.1).

    Keys and values are stored as one latent vector and one rotary key, and unfolded for every head;
    queries may pass through a latent vector of their own. Both latent vectors are normed.

    >>> from snippets.models import deepseek_v2, deepseek_v2_lite
    >>> latent_attention_parameters(deepseek_v2)
    149227520
    >>> latent_attention_parameters(deepseek_v2_lite)
    13763072
    """
    query_width = model.heads * (model.head_dim + model.rotary_dim)
    if model.query_latent_size:
        query = model.query_latent_size * (model.hidden_size + 1 + query_width)
    else:
        query = model.hidden_size * query_width
    compress = model.hidden_size * (model.latent_size + model.rotary_dim) + model.latent_size
    unfold = model.latent_size * model.heads * (model.head_dim + model.value_dim)
    output = model.heads * model.value_dim * model.hidden_size
    return query + compress + unfold + output


def mlp_biases(model: Model, width: int) -> int:
    """Biases of one MLP `width` wide.

    >>> from snippets.models import gpt2_xl, gpt_oss_20b, llama_2_7b
    >>> mlp_biases(llama_2_7b, 11), mlp_biases(gpt2_xl, 11), mlp_biases(gpt_oss_20b, 11)
    (0, 1611, 2902)
    """
    inputs = 2 if model.gated_mlp else 1
    return inputs * width + model.hidden_size if model.mlp_bias else 0


def mlp_parameters(model: Model, width: int) -> int:
    """Parameters of one MLP `width` wide: three matrices when gated (Shazeer 2020), else two.

    >>> from snippets.models import gpt2_xl, gpt_oss_20b, llama_2_7b
    >>> mlp_parameters(llama_2_7b, llama_2_7b.intermediate_size)
    135266304
    >>> mlp_parameters(gpt2_xl, gpt2_xl.intermediate_size)
    20488000
    >>> mlp_parameters(gpt_oss_20b, 2879)
    24883198
    """
    inputs = 2 if model.gated_mlp else 1
    return (inputs + 1) * model.hidden_size * width + mlp_biases(model, width)


def router_parameters(model: Model) -> int:
    """Parameters of one layer's router: a matrix of hidden_size x experts, and perhaps a bias.

    >>> from snippets.models import gpt_oss_20b, mixtral_8x7b
    >>> router_parameters(mixtral_8x7b)
    32768
    >>> router_parameters(gpt_oss_20b)
    92192
    """
    biases = model.experts if model.router_bias else 0
    return model.hidden_size * model.experts + biases


def norm_parameters(model: Model) -> int:
    """Parameters of one norm: LayerNorm has scales and biases, RMSNorm only scales.

    >>> from snippets.models import gpt2_xl, llama_2_7b
    >>> norm_parameters(gpt2_xl), norm_parameters(llama_2_7b)
    (3200, 4096)
    """
    return model.hidden_size * (2 if model.norm_bias else 1)


def expert_biases(model: Model) -> int:
    """Biases of all experts, which keep sixteen bits where experts' matrices have fewer.

    >>> from dataclasses import replace
    >>> from snippets.models import gpt_oss_20b, mixtral_8x7b
    >>> expert_biases(replace(gpt_oss_20b, dense_layers=5)), expert_biases(mixtral_8x7b)
    (5253120, 0)
    """
    layers = model.layers - model.dense_layers
    return layers * model.experts * mlp_biases(model, model.expert_size)


def count_parameters(model: Model) -> Parameters:
    """All parameters, by part.

    >>> from snippets.models import deepseek_v2_lite, gpt2_xl, mixtral_8x7b, phi_2
    >>> count_parameters(deepseek_v2_lite)  # doctest: +NORMALIZE_WHITESPACE
    Parameters(embedding=209715200, positions=0, attention=371602944, mlp=517079040,
               experts=14394851328, router=3407872, norms=112640, head=209715200)
    >>> count_parameters(gpt2_xl)  # doctest: +NORMALIZE_WHITESPACE
    Parameters(embedding=80411200, positions=1638400, attention=491827200, mlp=983424000,
               experts=0, router=0, norms=310400, head=0)
    >>> count_parameters(phi_2).head
    131123200
    >>> count_parameters(mixtral_8x7b).mlp, count_parameters(mixtral_8x7b).router
    (0, 1048576)
    """
    per_layer = latent_attention_parameters if model.latent_size else attention_parameters
    dense_layers = model.dense_layers if model.experts else model.layers
    expert_layers = model.layers - dense_layers
    shared = mlp_parameters(model, model.shared_expert_size) if model.shared_expert_size else 0
    head = 0 if model.tied_embeddings else model.vocabulary * model.hidden_size
    if model.head_bias:
        head += model.vocabulary
    return Parameters(
        embedding=model.vocabulary * model.hidden_size,
        positions=model.learned_positions * model.hidden_size,
        attention=model.layers * per_layer(model),
        mlp=dense_layers * mlp_parameters(model, model.intermediate_size) + expert_layers * shared,
        experts=expert_layers * model.experts * mlp_parameters(model, model.expert_size),
        router=expert_layers * router_parameters(model),
        norms=(model.layers * model.norms_per_layer + 1) * norm_parameters(model),
        head=head,
    )


def total_parameters(model: Model) -> int:
    """All parameters, each counted once (a tied output head is the input embedding).

    >>> from snippets.models import deepseek_v3, llama_3_1_70b, gpt2_xl, phi_2, qwen3_0_6b
    >>> total_parameters(llama_3_1_70b)
    70553706496
    >>> total_parameters(qwen3_0_6b)
    596049920
    >>> total_parameters(gpt2_xl), total_parameters(phi_2), total_parameters(deepseek_v3)
    (1557611200, 2779683840, 671026419200)
    """
    parts = count_parameters(model)
    return (
        parts.embedding
        + parts.positions
        + parts.attention
        + parts.mlp
        + parts.experts
        + parts.router
        + parts.norms
        + parts.head
    )


def active_parameters(model: Model) -> int:
    """Parameters that one token uses: all but the experts that its router passes over.

    >>> from snippets.models import llama_2_7b, mixtral_8x7b
    >>> active_parameters(mixtral_8x7b)
    12879925248
    >>> active_parameters(llama_2_7b)
    6738415616
    """
    experts = count_parameters(model).experts
    if model.experts == 0:
        return total_parameters(model)
    unused = experts * (model.experts - model.experts_per_token) // model.experts
    return total_parameters(model) - unused
