"""How many bytes a model's weights take in a format, tensor by tensor, and as they were published."""

from dataclasses import replace

from snippets.gguf_mixtures import mixture_bits
from snippets.model_parameters import all_tensors, elements
from snippets.models import Model, Tensor
from snippets.weight_formats import WeightFormat, bf16_weights, expert_bits, published


def tensor_bits(weights: WeightFormat, tensor: Tensor, model: Model) -> float:
    """Bits per weight of a tensor of a model.

    The format is that of the layers' matrices; embedding, head, router and all vectors (norms and
    biases) have the format's other bits. In a GGUF mixture each matrix has its own.

    >>> from snippets.models import gpt_oss_20b
    >>> from snippets.weight_formats import int4_g32, mxfp4_experts, q4_k_m
    >>> experts = gpt_oss_20b.kinds[0].tensors[9:11]
    >>> [(tensor.name, tensor.inputs) for tensor in experts]
    [('gate', 2880), ('gate', 0)]
    >>> [tensor_bits(mxfp4_experts, tensor, gpt_oss_20b) for tensor in experts]
    [4.25, 16]
    >>> tensor_bits(mxfp4_experts, gpt_oss_20b.kinds[0].tensors[0], gpt_oss_20b)
    16
    >>> tensor_bits(int4_g32, gpt_oss_20b.around[0], gpt_oss_20b)
    16
    >>> tensor_bits(q4_k_m, gpt_oss_20b.around[1], gpt_oss_20b)
    32.0
    """
    if weights.mixture == "published":
        return model.stored_bits[tensor.part if tensor.inputs else "vectors"]
    if weights.mixture:
        return mixture_bits(weights.mixture, tensor, model)
    if tensor.inputs and tensor.part == "experts":
        return expert_bits(weights)
    if tensor.inputs and tensor.part in ("attention", "mlp"):
        return weights.matrix_bits
    return weights.other_bits


def published_weights(model: Model) -> WeightFormat:
    """The format of a model's own checkpoint where that is quantized, else BF16.

    >>> from snippets.models import gpt_oss_20b, llama_3_1_8b
    >>> published_weights(llama_3_1_8b).name, published_weights(gpt_oss_20b).own_expert_bits
    ('BF16', 4.25)
    """
    stored = model.stored_bits
    if min(stored.values()) >= bf16_weights.matrix_bits:
        return bf16_weights
    return replace(
        published,
        matrix_bits=stored["mlp"],
        other_bits=stored["vectors"],
        own_expert_bits=stored["experts"],
    )


def model_bytes(
    model: Model, weights: WeightFormat, *, tensor: int = 1, whole: Model | None = None
) -> float:
    """Bytes of a model's weights on each of `tensor` GPUs that split them.

    Of a stage's part of a model, `whole` is all of it: a mixture goes by a layer's place in that.

    Norms, routers and the projections to latent vectors are on every GPU; keys and values are cut
    at most into their heads, as servers do.

    >>> from snippets.models import gpt_oss_20b, mixtral_8x7b, opt_125m
    >>> from snippets.weight_formats import fp16_weights, int4_g32, mxfp4_experts
    >>> model_bytes(mixtral_8x7b, fp16_weights), model_bytes(mixtral_8x7b, int4_g32)
    (93405585408.0, 26649042944.0)
    >>> model_bytes(mixtral_8x7b, int4_g32, tensor=8)
    3333431296.0
    >>> model_bytes(gpt_oss_20b, mxfp4_experts)
    13761264768.0
    """
    bits = sum(
        layers
        * each.count
        * elements(each)
        * tensor_bits(weights, each, whole or model)
        / min(tensor, each.pieces or tensor)
        for each, layers in all_tensors(model)
    )
    return bits / 8


def checkpoint_bytes(model: Model) -> float:
    """Bytes of a checkpoint as it was published, with what it holds beside the language model.

    >>> from snippets.models import gemma_2_2b, gpt2_xl, gpt_oss_20b, llama_3_1_8b
    >>> checkpoint_bytes(gpt2_xl), checkpoint_bytes(gemma_2_2b)
    (6230444800.0, 10457367552.0)
    >>> checkpoint_bytes(gpt_oss_20b), checkpoint_bytes(llama_3_1_8b)
    (13761264768.0, 16060522496.0)
    """
    bits = sum(
        layers
        * each.count
        * elements(each)
        * model.stored_bits[each.part if each.inputs else "vectors"]
        for each, layers in all_tensors(model)
    )
    beside = sum(each.parameters * each.bits for each in model.beside)
    return (bits + beside) / 8
