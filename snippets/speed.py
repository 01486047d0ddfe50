"""Ceilings on speed: what a step must read, what it must compute, and which takes longer."""

from snippets.arguments import require_count, require_positive
from snippets.bandwidth import roofline_seconds
from snippets.kv_cache import cache_bytes
from snippets.layer_parameters import active_layer_parameters
from snippets.model_parameters import count_parameters, expert_biases, norm_parameters
from snippets.model_parts import head_parameters
from snippets.models import Model
from snippets.weight_formats import WeightFormat, expert_bits


def experts_read(model: Model, tokens: float) -> float:
    """Experts of a layer that at least one of `tokens` tokens is sent to, if all are as likely.

    >>> from snippets.models import mixtral_8x7b
    >>> experts_read(mixtral_8x7b, 1), experts_read(mixtral_8x7b, 3)
    (2.0, 4.625)
    >>> experts_read(mixtral_8x7b, 0)
    Traceback (most recent call last):
    ValueError: tokens must be a positive number, not 0
    """
    require_positive(tokens=tokens)
    passed_over = 1 - model.experts_per_token / model.experts
    return model.experts * (1 - passed_over**tokens)


def weights_read(
    model: Model, weights: WeightFormat, *, tokens: float = 1, embedding: bool = False
) -> float:
    """Bytes of weights that one step over `tokens` tokens reads from memory.

    The output head is read whole, and of the experts those that tokens are sent to. Of the input
    embedding a step looks up one row a token, too little to count; with `embedding` it is counted
    whole, as in the rule of thumb bandwidth / model size.

    >>> from snippets.models import deepseek_v2_lite, gpt2_xl, gpt_oss_20b, llama_3_1_8b, mixtral_8x7b
    >>> from snippets.weight_formats import fp16_weights, int4_g32, mxfp4_experts
    >>> weights_read(llama_3_1_8b, fp16_weights)
    15009849344.0
    >>> weights_read(llama_3_1_8b, fp16_weights, embedding=True)
    16060522496.0
    >>> weights_read(mixtral_8x7b, int4_g32), weights_read(mixtral_8x7b, int4_g32, tokens=3)
    (7361536000.0, 15685132288.0)
    >>> weights_read(deepseek_v2_lite, int4_g32, tokens=2)
    2373396064.0
    >>> weights_read(gpt2_xl, int4_g32, embedding=True), weights_read(gpt2_xl, int4_g32)
    (994548800.0, 991272000.0)
    >>> weights_read(gpt_oss_20b, mxfp4_experts, tokens=3), weights_read(gpt_oss_20b, int4_g32)
    (5792828928.0, 2866752960.0)
    """
    parts = count_parameters(model)
    experts, biases = 0.0, 0.0
    if model.experts:
        share = experts_read(model, tokens) / model.experts
        biases = expert_biases(model) * share
        experts = parts.experts * share - biases
    matrices = (parts.attention + parts.mlp) * weights.matrix_bits
    rest = head_parameters(model) + parts.router + parts.norms + biases
    if embedding:
        rest += parts.positions
        if not model.tied_embeddings:
            rest += parts.embedding
    return (matrices + experts * expert_bits(weights) + rest * weights.other_bits) / 8


def attention_operations(model: Model, tokens: float) -> float:
    """Operations of one token's attention over `tokens` cached ones, all layers together.

    A multiply and an add for each element of each key, and again of each value; a layer with a
    sliding window looks at no more than that.

    >>> from snippets.models import deepseek_v2, gemma_3_1b, llama_2_7b
    >>> attention_operations(llama_2_7b, 1000), attention_operations(gemma_3_1b, 1000)
    (524288000, 62521344)
    >>> attention_operations(deepseek_v2, 1000)
    4915200000
    """
    require_positive(tokens=tokens)
    full = (model.layers - model.windowed_layers) * tokens
    return pair_operations(model) * (full + model.windowed_layers * min(model.window, tokens))


def mean_attention_operations(model: Model, tokens: float) -> float:
    """`attention_operations` of a token of a sequence of `tokens`, on average over all of them.

    A token looks at half of the sequence, and where a window w ends before the sequence of T tokens
    at w - w^2 / 2T: the first w of them see fewer than it.

    >>> from snippets.models import gemma_3_1b, llama_2_7b, mistral_7b
    >>> mean_attention_operations(llama_2_7b, 1000), mean_attention_operations(gemma_3_1b, 256)
    (262144000.0, 13631488.0)
    >>> mean_attention_operations(mistral_7b, 8192) / pair_operations(mistral_7b) / mistral_7b.layers
    3072.0
    """
    require_positive(tokens=tokens)
    window = min(model.window, tokens)
    full = (model.layers - model.windowed_layers) * tokens / 2
    windowed = model.windowed_layers * (window - window * window / (2 * tokens))
    return pair_operations(model) * (full + windowed)


def pair_operations(model: Model) -> int:
    """Operations of one layer's attention for one token and one that it looks at.

    >>> from snippets.models import deepseek_v2
    >>> pair_operations(deepseek_v2)
    81920
    """
    key = model.head_dim + model.rotary_dim
    value = model.value_dim or model.head_dim
    return 2 * model.heads * (key + value)


def multiplied_operations(model: Model) -> int:
    """Operations of one token's products with weights, forward.

    Two per parameter that it is multiplied by (Kaplan et al. 2020, section 2.1): all active ones
    but the embeddings, which are looked up.

    >>> from snippets.models import gpt2_xl
    >>> multiplied_operations(gpt2_xl)
    3111945600
    """
    layers = sum(active_layer_parameters(model, layer) for layer in range(model.layers))
    return 2 * (layers + norm_parameters(model) + head_parameters(model))


def forward_operations(model: Model, *, context: float) -> float:
    """Operations of one token's forward pass with `context` tokens before it.

    >>> from snippets.models import gpt2_xl, mixtral_8x7b
    >>> forward_operations(gpt2_xl, context=100), forward_operations(mixtral_8x7b, context=100)
    (3142665600, 25550135296)
    """
    return multiplied_operations(model) + attention_operations(model, context)


def training_operations_per_token(model: Model, *, tokens: float) -> float:
    """Operations of one token in training on sequences of `tokens`: forward, and twice as many back.

    Recomputation does not count (Chowdhery et al. 2022, appendix B).

    >>> from snippets.models import gpt2_xl, mistral_7b
    >>> training_operations_per_token(gpt2_xl, tokens=1000)
    9796636800.0
    >>> training_operations_per_token(mistral_7b, tokens=8192)
    47495798784.0
    """
    return 3 * (multiplied_operations(model) + mean_attention_operations(model, tokens))


def decode_seconds(
    model: Model,
    weights: WeightFormat,
    *,
    batch: int,
    context: int,
    peak_operations: float,
    memory_bandwidth: float,
    cache_element_bytes: float = 2,
) -> float:
    """Least seconds of one decoding step: one token more for each of `batch` conversations.

    Reads the weights once and every cache; the roofline's longer side. `peak_operations` and
    `memory_bandwidth` are those of all GPUs together; what they send each other is not counted.

    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import fp16_weights
    >>> slow = {"peak_operations": 3e12, "memory_bandwidth": 7e9}
    >>> decode_seconds(llama_3_1_8b, fp16_weights, batch=3, context=1000, **slow)
    2.2004379062857145
    >>> decode_seconds(
    ...     llama_3_1_8b, fp16_weights, batch=3, context=1000, cache_element_bytes=1, **slow)
    2.1723510491428573
    >>> narrow = {"peak_operations": 3e9, "memory_bandwidth": 7e12}
    >>> decode_seconds(llama_3_1_8b, fp16_weights, batch=3, context=1000, **narrow)
    15.534137344
    >>> decode_seconds(llama_3_1_8b, fp16_weights, batch=0, context=1000, **narrow)
    Traceback (most recent call last):
    ValueError: batch must be a whole number from 1 up, not 0
    """
    require_count(batch=batch)
    one_cache = cache_bytes(model, tokens=context, bytes_per_element=cache_element_bytes)
    return roofline_seconds(
        operations=batch * forward_operations(model, context=context),
        bytes_moved=weights_read(model, weights, tokens=batch) + batch * one_cache,
        peak_operations=peak_operations,
        memory_bandwidth=memory_bandwidth,
    )


def prefill_seconds(
    model: Model,
    weights: WeightFormat,
    *,
    tokens: int,
    peak_operations: float,
    memory_bandwidth: float,
) -> float:
    """Least seconds to read a prompt of `tokens`: until the first new token can be sampled.

    All tokens pass at once; the output head works for the last one alone.

    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import fp16_weights
    >>> prefill_seconds(
    ...     llama_3_1_8b, fp16_weights, tokens=1000, peak_operations=3e12, memory_bandwidth=7e12)
    4.740790288384
    >>> prefill_seconds(
    ...     llama_3_1_8b, fp16_weights, tokens=1000, peak_operations=3e15, memory_bandwidth=7e9)
    2.144264192
    """
    head = 2 * head_parameters(model)
    each = multiplied_operations(model) - head + mean_attention_operations(model, tokens)
    return roofline_seconds(
        operations=tokens * each + head,
        bytes_moved=weights_read(model, weights, tokens=tokens),
        peak_operations=peak_operations,
        memory_bandwidth=memory_bandwidth,
    )


def balanced_batch(
    model: Model, weights: WeightFormat, *, peak_operations: float, memory_bandwidth: float
) -> float:
    """Conversations at which computing a step takes as long as reading the weights, caches apart.

    For models without experts: with them, more tokens also read more weights.

    >>> from snippets.models import llama_3_1_8b, mixtral_8x7b
    >>> from snippets.weight_formats import fp16_weights, int4_g32
    >>> balanced_batch(
    ...     llama_3_1_8b, fp16_weights, peak_operations=989e12, memory_bandwidth=3.35e12)
    295.2238805970149
    >>> balanced_batch(llama_3_1_8b, int4_g32, peak_operations=989e12, memory_bandwidth=3.35e12)
    97.89246504631078
    >>> balanced_batch(mixtral_8x7b, fp16_weights, peak_operations=1e12, memory_bandwidth=1e12)
    Traceback (most recent call last):
    ValueError: Mixtral 8x7B has experts: the weights that a step reads depend on the batch
    """
    if model.experts:
        raise ValueError(
            f"{model.name} has experts: the weights that a step reads depend on the batch"
        )
    require_positive(peak_operations=peak_operations, memory_bandwidth=memory_bandwidth)
    seconds = weights_read(model, weights) / memory_bandwidth
    return seconds * peak_operations / multiplied_operations(model)
