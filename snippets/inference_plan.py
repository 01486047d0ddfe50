"""What one GPU holds when a model is used: weights, caches, and what a step works on."""

from dataclasses import dataclass

from snippets.arguments import require_count, require_positive
from snippets.kv_cache import cache_share_bytes
from snippets.models import Model
from snippets.pipeline_stages import Stage, pipeline_stages, stage_model
from snippets.runtimes import PYTORCH, Runtime
from snippets.training_plan import check_model_splits
from snippets.weight_bytes import model_bytes
from snippets.weight_formats import WeightFormat


@dataclass(frozen=True, kw_only=True)
class InferencePlan:
    """A model in use: `batch` conversations of `tokens` tokens each.

    Each of `pipeline` stages has `tensor` GPUs. The prompt is read at most `chunk` tokens at a
    time, over all conversations.

    >>> from snippets.models import gpt2_xl
    >>> from snippets.weight_formats import fp16_weights
    >>> plan = InferencePlan(model=gpt2_xl, weights=fp16_weights, tokens=7)
    >>> plan.batch, plan.tensor, plan.pipeline, plan.cache_element_bytes, plan.chunk
    (1, 1, 1, 2, 2048)
    """

    model: Model
    weights: WeightFormat
    tokens: int
    batch: int = 1
    tensor: int = 1
    pipeline: int = 1
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
        """Bytes of all parts."""
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
    a tensor split of 3 does not divide 32 heads; 2 and 4 do
    >>> refusal(pipeline=33)
    33 pipeline stages are more than Llama 3.1 8B's 32 layers
    """
    require_count(
        tokens=plan.tokens,
        batch=plan.batch,
        tensor=plan.tensor,
        pipeline=plan.pipeline,
        chunk=plan.chunk,
    )
    require_positive(cache_element_bytes=plan.cache_element_bytes)
    check_model_splits(plan.model, plan.tokens, plan.tensor, plan.pipeline)


def step_activation_bytes(plan: InferencePlan) -> float:
    """Bytes of the largest tensors at once while a chunk of the prompt passes a layer, 16 bits.

    The hidden state, its residual, and the MLP's inner states (or, where wider, attention's
    queries, keys, values and output).

    >>> from snippets.models import gemma_2_9b, mixtral_8x7b, opt_125m, qwen3_0_6b
    >>> from snippets.weight_formats import fp16_weights
    >>> def activations(model, **changes):
    ...     whole = {"model": model, "weights": fp16_weights, "tokens": 3, "batch": 5, "chunk": 7}
    ...     return step_activation_bytes(InferencePlan(**whole | changes))
    >>> activations(gemma_2_9b), activations(gemma_2_9b, chunk=100), activations(opt_125m)
    (501760.0, 1075200.0, 64512.0)
    >>> activations(gemma_2_9b, tensor=8), activations(mixtral_8x7b), activations(qwen3_0_6b)
    (150528.0, 917504.0, 114688.0)
    """
    widest = max(layer.widest for layer in plan.model.kinds)
    tokens = min(plan.tokens * plan.batch, plan.chunk)
    return 2 * tokens * (2 * plan.model.hidden_size + widest / plan.tensor)


def inference_memory(plan: InferencePlan) -> InferenceMemory:
    """What each GPU of the fullest stage holds: that one has to fit.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import int4_g32
    >>> plan = InferencePlan(
    ...     model=llama_3_1_8b, weights=int4_g32, tokens=1000, batch=3, tensor=4,
    ...     cache_element_bytes=1.5)
    >>> held = inference_memory(plan)
    >>> held.weights, held.cache, held.activations, held.logits, held.workspace, held.driver
    (1507336192.0, 73728000.0, 62914560.0, 577152.0, 268435456, 536870912)
    >>> held = inference_memory(replace(plan, tensor=1, pipeline=3))
    >>> held.weights, held.cache, held.logits
    (2523070464.0, 110592000.0, 0.0)
    >>> inference_memory(InferencePlan(model=llama_3_1_8b, weights=int4_g32, tokens=200000))
    Traceback (most recent call last):
    ValueError: 200,000 tokens are beyond Llama 3.1 8B's 131,072
    """
    check_inference_plan(plan)
    stages = pipeline_stages(plan.model, plan.pipeline)
    return max((_held_by_stage(plan, stage) for stage in stages), key=lambda held: held.total)


def _held_by_stage(plan: InferencePlan, stage: Stage) -> InferenceMemory:
    """Logits are in 16 bits and in FP32, for one token of each conversation."""
    model = stage_model(plan.model, stage)
    one_cache = cache_share_bytes(
        model,
        tokens=plan.tokens,
        bytes_per_element=plan.cache_element_bytes,
        tensor=plan.tensor,
    )
    logits = (2 + 4) * plan.batch * model.vocabulary / plan.tensor
    return InferenceMemory(
        weights=model_bytes(model, plan.weights, tensor=plan.tensor, whole=plan.model),
        cache=plan.batch * one_cache,
        activations=step_activation_bytes(plan),
        logits=logits if stage.head else 0.0,
        workspace=plan.runtime.workspace,
        driver=plan.runtime.driver,
    )
