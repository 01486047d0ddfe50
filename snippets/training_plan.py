"""How a training step is divided over GPUs, and which divisions cannot be."""

from dataclasses import dataclass

from snippets.arguments import require_count
from snippets.models import Model
from snippets.parallelism import gpus
from snippets.runtimes import PYTORCH, Runtime
from snippets.training_memory import MIXED_PRECISION, TrainingState
from snippets.weight_formats import WeightFormat, bf16_weights


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """A model and how a training step is divided; `tokens` are those of one sequence.

    `micro_batches` of `micro_batch` sequences pass each of the `data` copies in a step. A rank of
    the pipeline has `chunks` runs of layers (1: it is not interleaved). With an `adapter_rank` (0: all
    weights are trained) `state` is that of the adapters, and the weights stay as they are in `frozen`.

    >>> from snippets.models import gpt2_xl
    >>> plan = TrainingPlan(model=gpt2_xl, tokens=7)
    >>> plan.micro_batch, plan.micro_batches, plan.tensor, plan.pipeline, plan.data, plan.context
    (1, 1, 1, 1, 1, 1)
    >>> plan.chunks, plan.zero_stage, plan.sequence_parallel, plan.recompute, plan.adapter_rank
    (1, 0, True, False, 0)
    """

    model: Model
    tokens: int
    micro_batch: int = 1
    micro_batches: int = 1
    tensor: int = 1
    pipeline: int = 1
    chunks: int = 1
    data: int = 1
    context: int = 1
    zero_stage: int = 0
    state: TrainingState = MIXED_PRECISION
    sequence_parallel: bool = True
    recompute: bool = False
    adapter_rank: int = 0
    frozen: WeightFormat = bf16_weights
    runtime: Runtime = PYTORCH


def plan_gpus(plan: TrainingPlan) -> int:
    """GPUs of a plan: the product of its splits.

    >>> from snippets.models import gpt2_xl
    >>> plan_gpus(TrainingPlan(model=gpt2_xl, tokens=7, tensor=2, pipeline=3, data=5, context=7))
    210
    """
    return gpus(tensor=plan.tensor, pipeline=plan.pipeline, data=plan.data, context=plan.context)


def plan_sequences(plan: TrainingPlan) -> int:
    """Sequences of a step, over all copies.

    >>> from snippets.models import gpt2_xl
    >>> plan_sequences(TrainingPlan(model=gpt2_xl, tokens=7, micro_batch=2, micro_batches=3, data=5))
    30
    """
    return plan.micro_batch * plan.micro_batches * plan.data


def check_training_plan(plan: TrainingPlan) -> None:
    """Raise ValueError for a plan that cannot be run, saying what to change.

    >>> from snippets.models import llama_3_1_8b
    >>> def refusal(**changes):
    ...     try:
    ...         check_training_plan(
    ...             TrainingPlan(**{"model": llama_3_1_8b, "tokens": 8192, "tensor": 8} | changes)
    ...         )
    ...     except ValueError as error:
    ...         print(error)
    >>> refusal(context=8, pipeline=32, zero_stage=3)
    >>> refusal(micro_batch=0)
    micro_batch must be a whole number from 1 up, not 0
    >>> refusal(zero_stage=4)
    the ZeRO stage must be 0, 1, 2 or 3, not 4
    >>> refusal(tokens=131073)
    131,073 tokens are beyond Llama 3.1 8B's 131,072
    >>> refusal(context=3)
    8,192 tokens do not split over 3 context ranks
    >>> refusal(pipeline=33)
    33 pipeline stages are more than Llama 3.1 8B's 32 layers
    >>> refusal(pipeline=2, chunks=17, micro_batches=4)
    >>> refusal(pipeline=4, chunks=9, micro_batches=4)
    36 chunks of layers are more than Llama 3.1 8B's 32 layers, its embedding and its head
    >>> refusal(pipeline=4, chunks=2, micro_batches=6)
    an interleaved pipeline takes micro-batches 4 at a time, not 6
    >>> refusal(adapter_rank=-1)
    the rank of adapters must be a whole number from 0 up, not -1
    >>> from snippets.weight_formats import q4_k_m
    >>> refusal(adapter_rank=16, frozen=q4_k_m)
    adapters are not trained beside weights in GGUF Q4_K_M
    >>> refusal(tensor=12)
    a tensor split of 12 does not divide 32 heads; 8 and 16 do
    """
    require_count(
        tokens=plan.tokens,
        micro_batch=plan.micro_batch,
        micro_batches=plan.micro_batches,
        tensor=plan.tensor,
        pipeline=plan.pipeline,
        chunks=plan.chunks,
        data=plan.data,
        context=plan.context,
    )
    model = plan.model
    if plan.adapter_rank < 0 or plan.adapter_rank != round(plan.adapter_rank):
        raise ValueError(
            f"the rank of adapters must be a whole number from 0 up, not {plan.adapter_rank}"
        )
    if plan.adapter_rank and plan.frozen.mixture:
        raise ValueError(f"adapters are not trained beside weights in {plan.frozen.name}")
    if not 0 <= plan.zero_stage <= 3:
        raise ValueError(f"the ZeRO stage must be 0, 1, 2 or 3, not {plan.zero_stage}")
    check_model_splits(model, plan.tokens, plan.tensor, plan.pipeline)
    if plan.tokens % plan.context:
        raise ValueError(f"{plan.tokens:,} tokens do not split over {plan.context} context ranks")
    if plan.chunks > 1 and plan.pipeline * plan.chunks > model.layers + 2:
        raise ValueError(
            f"{plan.pipeline * plan.chunks} chunks of layers are more than {model.name}'s"
            f" {model.layers} layers, its embedding and its head"
        )
    if plan.chunks > 1 and plan.micro_batches % plan.pipeline:
        raise ValueError(
            f"an interleaved pipeline takes micro-batches {plan.pipeline} at a time,"
            f" not {plan.micro_batches}"
        )


def check_model_splits(model: Model, tokens: int, tensor: int, pipeline: int) -> None:
    """Raise ValueError for more tokens or stages than a model has, or heads that do not divide.

    Fewer key-value heads than GPUs are held by several of them; a latent cache by all.

    >>> from snippets.models import deepseek_v2, llama_3_1_8b, qwen2_5_14b
    >>> check_model_splits(llama_3_1_8b, 7, 16, 32), check_model_splits(deepseek_v2, 7, 64, 1)
    (None, None)
    >>> check_model_splits(llama_3_1_8b, 7, 33, 1)
    Traceback (most recent call last):
    ValueError: a tensor split of 33 does not divide 32 heads; 32 does
    >>> check_model_splits(qwen2_5_14b, 7, 20, 1)
    Traceback (most recent call last):
    ValueError: a tensor split of 20 neither divides 8 key-value heads nor is a multiple of them; 8 and 40 do
    """
    if tokens > model.context:
        raise ValueError(f"{tokens:,} tokens are beyond {model.name}'s {model.context:,}")
    if pipeline > model.layers:
        raise ValueError(
            f"{pipeline} pipeline stages are more than {model.name}'s {model.layers} layers"
        )
    undivided = undivided_heads(model, tensor)
    if undivided:
        raise ValueError(f"a tensor split of {tensor} {undivided}; {other_splits(model, tensor)}")


def other_splits(model: Model, tensor: int) -> str:
    """The nearest tensor splits that can be, in words.

    >>> from snippets.models import llama_3_1_8b
    >>> other_splits(llama_3_1_8b, 7), other_splits(llama_3_1_8b, 100)
    ('4 and 8 do', '32 does')
    """
    possible = [each for each in range(1, model.heads + 1) if not undivided_heads(model, each)]
    below = max(each for each in possible if each < tensor)
    above = [each for each in possible if each > tensor]
    return f"{below} and {above[0]} do" if above else f"{below} does"


def undivided_heads(model: Model, tensor: int) -> str:
    """What a tensor split does not divide, in words; "" for one that can be.

    >>> from snippets.models import llama_3_1_8b
    >>> undivided_heads(llama_3_1_8b, 8), undivided_heads(llama_3_1_8b, 12)
    ('', 'does not divide 32 heads')
    """
    if model.heads % tensor:
        return f"does not divide {model.heads} heads"
    for layer in model.kinds:
        pieces = layer.cache_pieces
        if pieces > 1 and pieces % tensor and tensor % pieces:
            return f"neither divides {pieces} key-value heads nor is a multiple of them"
    return ""


def in_flight(*, rank: int, pipeline: int, micro_batches: int, chunks: int = 1) -> float:
    """Micro-batches whose activations a rank (counted from 0) holds at once under 1F1B.

    The first one runs ahead by as many as there are ranks, or where they are interleaved by as many
    chunks as Narayanan et al. 2021, section 2.2, let it; a chunk counts as its share.

    >>> [in_flight(rank=rank, pipeline=4, micro_batches=3) for rank in range(4)]
    [3, 3, 2, 1]
    >>> [in_flight(rank=rank, pipeline=3, micro_batches=21, chunks=4) for rank in range(3)]
    [3.5, 3.0, 2.5]
    >>> in_flight(rank=0, pipeline=3, micro_batches=3, chunks=4)
    3
    """
    if chunks == 1:
        return min(pipeline - rank, micro_batches)
    ahead = (chunks - 1) * pipeline + 2 * (pipeline - 1 - rank) + 1
    return min(ahead / chunks, micro_batches)
