"""Ceilings on speed: what a step must read, what it must compute, and which takes longer."""

from snippets.arguments import require_count, require_not_negative, require_positive
from snippets.bandwidth import roofline_seconds
from snippets.kv_cache import cache_share_bytes
from snippets.model_parameters import all_tensors, elements, head_parameters
from snippets.models import Model
from snippets.operations import (
    forward_operations,
    mean_attention_operations,
    multiplied_operations,
)
from snippets.weight_bytes import tensor_bits
from snippets.weight_formats import WeightFormat


def experts_read(experts: float, used: float, tokens: float) -> float:
    """Of a layer's experts, those that at least one of `tokens` tokens is sent to.

    Each token is sent to `used` of them, all as likely.

    >>> experts_read(8, 2, 1), experts_read(8, 2, 3)
    (2.0, 4.625)
    >>> experts_read(8, 2, 0)
    Traceback (most recent call last):
    ValueError: tokens must be a positive number, not 0
    >>> experts_read(8, 9, 3)
    Traceback (most recent call last):
    ValueError: used must be at most the 8 experts, not 9
    """
    require_positive(experts=experts, used=used, tokens=tokens)
    if used > experts:
        raise ValueError(f"used must be at most the {experts} experts, not {used}")
    return experts * (1 - power(1 - used / experts, tokens))


def power(base: float, exponent: float) -> float:
    """`base ** exponent` by squaring, which every language rounds alike.

    >>> power(3, 5), power(0.5, 2.5) == 0.5**2.5, power(0.0, 7), power(0.0, 0)
    (243.0, True, 0.0, 1.0)
    >>> power(3, 10**14)
    inf
    """
    require_not_negative(base=base, exponent=exponent)
    base = float(base)  # an int's digits would double with each square
    result = base ** (exponent % 1)
    left = exponent // 1
    while left > 0:
        if left % 2 == 1:
            result = result * base
        base = base * base
        left = left // 2
    return result


def weights_read(
    model: Model,
    weights: WeightFormat,
    *,
    tokens: float = 1,
    embedding: bool = False,
    tensor: int = 1,
) -> float:
    """Bytes of weights that one step over `tokens` tokens reads on each of `tensor` GPUs.

    The output head is read whole, and of the experts those that tokens are sent to. Of the input
    embedding a step looks up one row a token, too little to count; with `embedding` it is counted
    whole, as in the rule of thumb bandwidth / model size.

    >>> from snippets.models import deepseek_v2_lite, gpt2_xl, gpt_oss_20b, llama_3_1_8b, mixtral_8x7b
    >>> from snippets.weight_formats import fp16_weights, int4_g32, mxfp4_experts
    >>> weights_read(llama_3_1_8b, fp16_weights)
    15009849344.0
    >>> weights_read(llama_3_1_8b, fp16_weights, embedding=True)
    16060522496.0
    >>> weights_read(llama_3_1_8b, fp16_weights, tensor=16) * 16 - weights_read(llama_3_1_8b, fp16_weights)
    544858112.0
    >>> weights_read(mixtral_8x7b, int4_g32), weights_read(mixtral_8x7b, int4_g32, tokens=3)
    (7361536000.0, 15685132288.0)
    >>> weights_read(deepseek_v2_lite, int4_g32, tokens=2)
    2373415936.0
    >>> weights_read(gpt2_xl, int4_g32, embedding=True), weights_read(gpt2_xl, int4_g32)
    (995542400.0, 992265600.0)
    >>> weights_read(gpt_oss_20b, mxfp4_experts, tokens=3), weights_read(gpt_oss_20b, int4_g32)
    (5792828928.0, 2867031168.0)
    """
    bits = 0.0
    for each, layers in all_tensors(model):
        looked_up = each.part in ("embedding", "positions")
        head = each.part == "embedding" and model.tied_embeddings
        if looked_up and not (embedding or head):
            continue
        count: float = each.count
        if each.idle:
            count = experts_read(each.count, each.count - each.idle, tokens)
        held = layers * count * elements(each) / min(tensor, each.pieces or tensor)
        bits += held * tensor_bits(weights, each, model)
    return bits / 8


def decode_seconds(
    model: Model,
    weights: WeightFormat,
    *,
    batch: int,
    context: int,
    peak_operations: float,
    memory_bandwidth: float,
    tensor: int = 1,
    cache_element_bytes: float = 2,
) -> float:
    """Least seconds of one decoding step: one token more for each of `batch` conversations.

    Each of `tensor` GPUs, of that peak and bandwidth, reads the weights and caches that it holds;
    the roofline's longer side. What they send each other is not counted.

    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import fp16_weights
    >>> slow = {"peak_operations": 3e12, "memory_bandwidth": 7e9}
    >>> decode_seconds(llama_3_1_8b, fp16_weights, batch=3, context=1000, **slow)
    2.2004379062857145
    >>> decode_seconds(
    ...     llama_3_1_8b, fp16_weights, batch=3, context=1000, cache_element_bytes=1, **slow)
    2.1723510491428573
    >>> decode_seconds(llama_3_1_8b, fp16_weights, batch=3, context=1000, tensor=16, **slow)
    0.14590303085714285
    >>> narrow = {"peak_operations": 3e9, "memory_bandwidth": 7e12}
    >>> decode_seconds(llama_3_1_8b, fp16_weights, batch=3, context=1000, **narrow)
    15.534137344
    >>> decode_seconds(llama_3_1_8b, fp16_weights, batch=0, context=1000, **narrow)
    Traceback (most recent call last):
    ValueError: batch must be a whole number from 1 up, not 0
    """
    require_count(batch=batch)
    one_cache = cache_share_bytes(
        model, tokens=context, bytes_per_element=cache_element_bytes, tensor=tensor
    )
    return roofline_seconds(
        operations=batch * forward_operations(model, context=context) / tensor,
        bytes_moved=weights_read(model, weights, tokens=batch, tensor=tensor) + batch * one_cache,
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
    tensor: int = 1,
) -> float:
    """Least seconds to read a prompt of `tokens`: until the first new token can be sampled.

    All tokens pass at once; the output head works for the last one alone. `tensor` GPUs share it.

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
        operations=(tokens * each + head) / tensor,
        bytes_moved=weights_read(model, weights, tokens=tokens, tensor=tensor),
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
