"""What one GPU holds when a model is used: weights, caches, and what a step works on."""

from dataclasses import dataclass

from snippets.kv_cache import cache_bytes, cache_share
from snippets.model_parameters import count_parameters, expert_biases, total_parameters
from snippets.model_parts import attention_parts, split_parameters
from snippets.models import Model
from snippets.runtimes import PYTORCH, Runtime
from snippets.training_plan import check_tensor
from snippets.weight_formats import WeightFormat, expert_bits


@dataclass(frozen=True, kw_only=True)
class InferencePlan:
    """A model in use: `batch` conversations of `tokens` tokens each, on `tensor` GPUs.

    The prompt is read at most `chunk` tokens at a time, over all conversations.

    >>> from snippets.models import gpt2_xl
    >>> from snippets.weight_formats import fp16_weights
    >>> plan = InferencePlan(model=gpt2_xl, weights=fp16_weights, tokens=7)
    >>> plan.batch, plan.tensor, plan.cache_element_bytes, plan.chunk
    (1, 1, 2, 2048)
    """

    model: Model
    weights: WeightFormat
    tokens: int
    batch: int = 1
    tensor: int = 1
    cache_element_bytes: float = 2
    chunk: int = 2048
    runtime: Runtime = PYTORCH


@dataclass(frozen=True, kw_only=True)
class InferenceMemory:
    """Bytes on one GPU, by part, and their `total`.

    >>> InferenceMemory(
    ...     weights=1, cache=20, activations=300, logits=4e3, workspace=5e4, driver=6e5
    ... ).total
    654321.0
    """

    weights: float
    cache: float
    activations: float
    logits: float
    workspace: float
    driver: float

    @property
    def total(self) -> float:
        return sum(vars(self).values())


def check_inference_plan(plan: InferencePlan) -> None:
    """Raise ValueError for a plan that cannot be run, saying what to change.

    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import fp16_weights
    >>> def refusal(**changes):
    ...     whole = {"model": llama_3_1_8b, "weights": fp16_weights, "tokens": 131072}
    ...     try:
    ...         check_inference_plan(InferencePlan(**whole | changes))
    ...     except ValueError as error:
    ...         print(error)
    >>> refusal(batch=1, tensor=1, chunk=1)
    >>> refusal(batch=0)
    batch must be a whole number from 1 up, not 0
    >>> refusal(cache_element_bytes=0.5)
    >>> refusal(cache_element_bytes=0)
    cache_element_bytes must be a positive number, not 0
    >>> refusal(tokens=131073)
    131,073 tokens are beyond Llama 3.1 8B's 131,072
    >>> refusal(tensor=3)
    a tensor split of 3 does not divide 32 heads
    """
    counts = {
        "tokens": plan.tokens,
        "batch": plan.batch,
        "tensor": plan.tensor,
        "chunk": plan.chunk,
    }
    for name, value in counts.items():
        if value < 1:
            raise ValueError(f"{name} must be a whole number from 1 up, not {value}")
    if plan.cache_element_bytes <= 0:
        raise ValueError(
            f"cache_element_bytes must be a positive number, not {plan.cache_element_bytes}"
        )
    model = plan.model
    if plan.tokens > model.context:
        raise ValueError(f"{plan.tokens:,} tokens are beyond {model.name}'s {model.context:,}")
    check_tensor(model, plan.tensor)


def model_bytes(model: Model, weights: WeightFormat, *, tensor: int = 1) -> float:
    """Bytes of a model's weights on each of `tensor` GPUs that split them.

    The format is that of the layers' matrices; embedding, head, router, norms and experts' biases
    have the format's other bits. Norms, router, latent projections and keys and values of more GPUs
    than there are key-value heads are held by several.

    >>> from snippets.models import gemma_2b, gpt_oss_20b, llama_2_70b, llama_3_1_70b, mixtral_8x7b
    >>> from snippets.models import opt_125m
    >>> from snippets.weight_formats import fp16_weights, int4_g32, mxfp4_experts
    >>> model_bytes(mixtral_8x7b, fp16_weights), model_bytes(mixtral_8x7b, int4_g32)
    (93405585408.0, 26649042944.0)
    >>> model_bytes(mixtral_8x7b, int4_g32, tensor=8)
    3333431296.0
    >>> [round(model_bytes(model, fp16_weights, tensor=split) / 2**30, 3)
    ...  for model, split in ((llama_3_1_70b, 16), (llama_2_70b, 64), (gemma_2b, 8))]
    [8.372, 2.283, 0.614]
    >>> model_bytes(opt_125m, int4_g32, tensor=4)
    32124048.0
    >>> model_bytes(gpt_oss_20b, mxfp4_experts), model_bytes(gpt_oss_20b, int4_g32, tensor=4)
    (13761264768.0, 3364150992.0)
    """
    parts = count_parameters(model)
    biases = expert_biases(model)
    attention = model.layers * split_parameters(attention_parts(model), tensor)
    matrices = (attention + parts.mlp / tensor) * weights.matrix_bits
    experts = (parts.experts - biases) / tensor * expert_bits(weights)
    split = (parts.embedding + parts.positions + parts.head + biases) / tensor
    return (matrices + experts + (split + parts.router + parts.norms) * weights.other_bits) / 8


def checkpoint_bytes(model: Model) -> float:
    """Bytes of a model as it was published: experts' matrices may have a format of their own.

    >>> from dataclasses import replace
    >>> from snippets.models import deepseek_v3, gpt2_xl, gpt_oss_20b, llama_3_1_8b
    >>> checkpoint_bytes(replace(gpt_oss_20b, dense_layers=5))
    11891424448.0
    >>> checkpoint_bytes(deepseek_v3), checkpoint_bytes(gpt2_xl)
    (672987104256.0, 6230444800.0)
    >>> checkpoint_bytes(gpt_oss_20b), checkpoint_bytes(llama_3_1_8b)
    (13761264768.0, 16060522496.0)
    """
    parts = count_parameters(model)
    biases = expert_biases(model)
    matrices = parts.attention + parts.mlp
    rest = total_parameters(model) - matrices - parts.experts + biases
    bits = matrices * model.stored_bits + (parts.experts - biases) * model.stored_expert_bits
    return (bits + rest * max(model.stored_bits, 16)) / 8


def step_activation_bytes(plan: InferencePlan) -> float:
    """Bytes of the largest tensors at once while a chunk of the prompt passes a layer, 16 bits.

    The hidden state, its residual, and the MLP's inner states (or, where wider, attention's
    queries, keys, values and output).

    >>> from dataclasses import replace
    >>> from snippets.models import deepseek_v2_lite, gemma_2_9b, gpt2_xl, mixtral_8x7b
    >>> from snippets.models import opt_125m, qwen3_0_6b
    >>> from snippets.weight_formats import fp16_weights
    >>> def activations(model, **changes):
    ...     whole = {"model": model, "weights": fp16_weights, "tokens": 3, "batch": 5, "chunk": 7}
    ...     return step_activation_bytes(InferencePlan(**whole | changes))
    >>> activations(gemma_2_9b), activations(gemma_2_9b, chunk=100), activations(opt_125m)
    (501760.0, 1075200.0, 64512.0)
    >>> narrow = replace(gpt2_xl, intermediate_size=5, kv_heads=5)
    >>> routed = replace(deepseek_v2_lite, head_dim=1)
    >>> activations(narrow), activations(routed)
    (98560.0, 372736.0)
    >>> activations(gemma_2_9b, tensor=8), activations(mixtral_8x7b), activations(qwen3_0_6b)
    (150528.0, 917504.0, 114688.0)
    """
    model = plan.model
    inner = 2 if model.gated_mlp else 1
    mlp = inner * model.intermediate_size
    if model.experts:
        routed = model.experts_per_token * model.expert_size
        mlp = max(mlp, inner * (routed + model.shared_expert_size))
    attention = 2 * (model.heads + model.kv_heads) * model.head_dim
    tokens = min(plan.tokens * plan.batch, plan.chunk)
    return 2 * tokens * (2 * model.hidden_size + max(mlp, attention) / plan.tensor)


def inference_memory(plan: InferencePlan) -> InferenceMemory:
    """What each GPU holds; logits in 16 bits and in FP32 for one token of each conversation.

    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import int4_g32
    >>> plan = InferencePlan(
    ...     model=llama_3_1_8b, weights=int4_g32, tokens=1000, batch=3, tensor=4,
    ...     cache_element_bytes=1.5)
    >>> held = inference_memory(plan)
    >>> held.weights, held.cache, held.activations, held.logits, held.workspace, held.driver
    (1507336192.0, 73728000.0, 62914560.0, 577152.0, 268435456, 536870912)
    >>> inference_memory(InferencePlan(model=llama_3_1_8b, weights=int4_g32, tokens=200000))
    Traceback (most recent call last):
    ValueError: 200,000 tokens are beyond Llama 3.1 8B's 131,072
    """
    check_inference_plan(plan)
    model = plan.model
    one_cache = cache_bytes(model, tokens=plan.tokens, bytes_per_element=plan.cache_element_bytes)
    return InferenceMemory(
        weights=model_bytes(model, plan.weights, tensor=plan.tensor),
        cache=plan.batch * one_cache * cache_share(model, plan.tensor),
        activations=step_activation_bytes(plan),
        logits=(2 + 4) * plan.batch * model.vocabulary / plan.tensor,
        workspace=plan.runtime.workspace,
        driver=plan.runtime.driver,
    )
