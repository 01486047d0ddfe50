"""How a training step is divided over GPUs, and which divisions cannot be."""

from dataclasses import dataclass

from snippets.models import Model
from snippets.runtimes import PYTORCH, Runtime
from snippets.training_memory import MIXED_PRECISION, TrainingState


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """A model and how a training step is divided; `tokens` are those of one sequence.

    >>> from snippets.models import gpt2_xl
    >>> plan = TrainingPlan(model=gpt2_xl, tokens=7)
    >>> plan.micro_batch, plan.micro_batches, plan.tensor, plan.pipeline, plan.data, plan.context
    (1, 1, 1, 1, 1, 1)
    >>> plan.zero_stage, plan.sequence_parallel, plan.recompute
    (0, True, False)
    """

    model: Model
    tokens: int
    micro_batch: int = 1
    micro_batches: int = 1
    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    context: int = 1
    zero_stage: int = 0
    state: TrainingState = MIXED_PRECISION
    sequence_parallel: bool = True
    recompute: bool = False
    runtime: Runtime = PYTORCH


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
    >>> refusal(zero_stage=-1)
    the ZeRO stage must be 0, 1, 2 or 3, not -1
    >>> refusal()
    >>> refusal(tokens=131072)
    >>> refusal(tokens=131073)
    131,073 tokens are beyond Llama 3.1 8B's 131,072
    >>> refusal(context=3)
    8,192 tokens do not split over 3 context ranks
    >>> refusal(pipeline=33)
    33 pipeline stages are more than Llama 3.1 8B's 32 layers
    >>> refusal(tensor=12)
    a tensor split of 12 does not divide 32 heads
    """
    counts = {
        "tokens": plan.tokens,
        "micro_batch": plan.micro_batch,
        "micro_batches": plan.micro_batches,
        "tensor": plan.tensor,
        "pipeline": plan.pipeline,
        "data": plan.data,
        "context": plan.context,
    }
    for name, value in counts.items():
        if value < 1:
            raise ValueError(f"{name} must be a whole number from 1 up, not {value}")
    model = plan.model
    if not 0 <= plan.zero_stage <= 3:
        raise ValueError(f"the ZeRO stage must be 0, 1, 2 or 3, not {plan.zero_stage}")
    if plan.tokens > model.context:
        raise ValueError(f"{plan.tokens:,} tokens are beyond {model.name}'s {model.context:,}")
    if plan.tokens % plan.context:
        raise ValueError(f"{plan.tokens:,} tokens do not split over {plan.context} context ranks")
    check_tensor(model, plan.tensor)
    if plan.pipeline > model.layers:
        raise ValueError(
            f"{plan.pipeline} pipeline stages are more than {model.name}'s {model.layers} layers"
        )


def check_tensor(model: Model, tensor: int) -> None:
    """Raise ValueError for a tensor split that does not divide the heads.

    Fewer key-value heads than GPUs are held by several of them; a latent cache by all.

    >>> from snippets.models import deepseek_v2, llama_3_1_8b, qwen2_5_14b
    >>> check_tensor(llama_3_1_8b, 4), check_tensor(llama_3_1_8b, 16), check_tensor(deepseek_v2, 64)
    (None, None, None)
    >>> check_tensor(llama_3_1_8b, 3)
    Traceback (most recent call last):
    ValueError: a tensor split of 3 does not divide 32 heads
    >>> check_tensor(qwen2_5_14b, 20)
    Traceback (most recent call last):
    ValueError: a tensor split of 20 neither divides 8 key-value heads nor is a multiple of them
    """
    if model.heads % tensor:
        raise ValueError(f"a tensor split of {tensor} does not divide {model.heads} heads")
    shared = bool(model.latent_size) or tensor % model.kv_heads == 0
    if model.kv_heads % tensor and not shared:
        raise ValueError(
            f"a tensor split of {tensor} neither divides {model.kv_heads} key-value heads"
            " nor is a multiple of them"
        )


def in_flight(*, stage: int, stages: int, micro_batches: int) -> int:
    """Micro-batches whose activations a stage (counted from 0) holds at once under 1F1B.

    Narayanan et al. 2021, section 2.2: the first stage runs ahead by as many as there are stages.

    >>> [in_flight(stage=stage, stages=4, micro_batches=3) for stage in range(4)]
    [3, 3, 2, 1]
    """
    return min(stages - stage, micro_batches)
