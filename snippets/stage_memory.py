"""What one GPU holds in training, part by part, under tensor, pipeline, data and context splits."""

from dataclasses import dataclass

from snippets.kept_activations import layer_kept_bytes
from snippets.pipeline_stages import Stage, pipeline_stages, stage_parameters
from snippets.training_memory import optimizer_bytes_per_parameter
from snippets.training_plan import TrainingPlan, check_training_plan, in_flight


@dataclass(frozen=True, kw_only=True)
class TrainingMemory:
    """Bytes on one GPU, by part."""

    weights: float
    gradients: float
    optimizer: float
    gathered_weights: float
    buckets: float
    activations: float
    logits: float
    gathered_states: float
    embedding_buffers: float
    overhead: float
    workspace: float
    driver: float


def kept_by_stage(plan: TrainingPlan, stage: Stage, flying: int) -> float:
    """Bytes of activations that one GPU of a stage holds with `flying` micro-batches in flight.

    With recomputation each layer keeps its input alone (Chen et al. 2016), and the layer at work
    all that it needs.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.runtimes import PYTORCH
    >>> split = {"tokens": 1024, "micro_batch": 3, "tensor": 4, "context": 2}
    >>> plan = TrainingPlan(model=llama_3_1_8b, **split)
    >>> stage = Stage(first_layer=5, layers=7, embedding=False, head=False)
    >>> kept_by_stage(plan, stage, 11)
    4965531648.0
    >>> kept_by_stage(replace(plan, sequence_parallel=False), stage, 11)
    7872184320.0
    >>> recomputing = replace(plan, recompute=True)
    >>> kept_by_stage(recomputing, stage, 11)
    306708480.0
    >>> kept_by_stage(replace(recomputing, sequence_parallel=False), stage, 11)
    1071120384.0
    >>> kept_by_stage(recomputing, replace(stage, layers=0), 11)
    0.0
    >>> copying = replace(plan, runtime=replace(PYTORCH, copied_states=5))
    >>> kept_by_stage(copying, stage, 11)
    6176636928.0
    """
    tokens = plan.tokens * plan.micro_batch / plan.context
    state = 2 * tokens * plan.model.hidden_size
    divided = plan.tensor if plan.sequence_parallel else 1
    layers = range(stage.first_layer, stage.first_layer + stage.layers)
    whole = [
        layer_kept_bytes(
            plan.model,
            layer,
            tokens=tokens,
            tensor=plan.tensor,
            sequence_parallel=plan.sequence_parallel,
        )
        + plan.runtime.copied_states * state / plan.tensor
        for layer in layers
    ]
    if not plan.recompute:
        return flying * sum(whole)
    return flying * stage.layers * state / divided + max(whole, default=0)


def gathered_by_stage(plan: TrainingPlan, stage: Stage, flying: int) -> float:
    """Bytes of undivided hidden states that a tensor split has in memory at once.

    Those at work; and where gathered inputs wait, two a layer (of attention and of the MLP) for
    every micro-batch in flight but the two newest, or for the only one where there are no stages.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.runtimes import PYTORCH
    >>> plan = TrainingPlan(model=llama_3_1_8b, tokens=1024, micro_batch=3, tensor=4, context=2)
    >>> stage = Stage(first_layer=5, layers=7, embedding=False, head=False)
    >>> gathered_by_stage(plan, stage, 11), gathered_by_stage(replace(plan, tensor=1), stage, 11)
    (50331648.0, 0)
    >>> waiting = replace(plan, runtime=replace(PYTORCH, waiting_states=100))
    >>> [gathered_by_stage(waiting, stage, flying) for flying in (1, 5, 11)]
    [226492416.0, 931135488.0, 1258291200.0]
    >>> staged = replace(waiting, pipeline=2)
    >>> [gathered_by_stage(staged, stage, flying) for flying in (1, 3, 5, 11)]
    [50331648.0, 226492416.0, 578813952.0, 1258291200.0]
    """
    if plan.tensor == 1:
        return 0
    older = max(flying - 2, 0) if plan.pipeline > 1 else flying
    states = plan.runtime.gathered_states
    if plan.runtime.waiting_states:
        states = min(states + 2 * stage.layers * older, plan.runtime.waiting_states)
    return states * 2 * plan.tokens * plan.micro_batch / plan.context * plan.model.hidden_size


def stage_memory(plan: TrainingPlan, index: int) -> TrainingMemory:
    """What one GPU of pipeline stage `index` (counted from 0) holds.

    ZeRO as in Rajbhandari et al. 2020, section 5; stage 3 also gathers the weights of two layers:
    the one at work and the next.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.runtimes import PYTORCH
    >>> from snippets.training_memory import FP32_GRADIENTS
    >>> split = {"tokens": 1024, "micro_batch": 3, "tensor": 4, "context": 2, "data": 5}
    >>> steps = {"pipeline": 6, "micro_batches": 7, "state": FP32_GRADIENTS}
    >>> busy = replace(PYTORCH, bucket_bytes=3, embedding_bytes=7)
    >>> plan = TrainingPlan(model=llama_3_1_8b, runtime=busy, **split, **steps)
    >>> for index in (0, 5):
    ...     held = stage_memory(plan, index)
    ...     print(held.weights, held.gradients, held.optimizer, held.gathered_weights)
    ...     print(held.buckets, held.activations, held.logits, held.gathered_states)
    ...     print(held.embedding_buffers, held.overhead, held.workspace, held.driver)
    917078016.0 1834156032.0 5502468096.0 0.0
    1375617024.0 2321547264.0 0.0 50331648.0
    919339008.0 116077363.2 268435456 536870912
    589881344.0 1179762688.0 3539288064.0 0.0
    884822016.0 193462272.0 492503040.0 50331648.0
    0.0 34298265.6 268435456 536870912
    >>> for zero_stage in (1, 2, 3):
    ...     held = stage_memory(replace(plan, zero_stage=zero_stage), 1)
    ...     print(held.weights, held.gradients, held.optimizer, held.gathered_weights)
    654409728.0 1308819456.0 392645836.8 0.0
    654409728.0 130881945.6 392645836.8 0.0
    65440972.8 130881945.6 392645836.8 218136576.0
    >>> alone = stage_memory(replace(plan, data=1, context=1, zero_stage=3), 1)
    >>> alone.buckets, alone.gathered_weights
    (0.0, 0.0)
    >>> short = replace(plan, pipeline=32, zero_stage=3)
    >>> for index in (1, 31):
    ...     print(stage_memory(short, index).weights, stage_memory(short, index).gathered_weights)
    10906828.8 109068288.0
    26267648.0 262676480.0
    >>> pair = stage_memory(replace(plan, data=1, zero_stage=3), 1)
    >>> pair.buckets, pair.gathered_weights
    (981614592.0, 218136576.0)
    """
    check_training_plan(plan)
    return _held_by_stage(plan, pipeline_stages(plan.model, plan.pipeline)[index], index)


def _held_by_stage(plan: TrainingPlan, stage: Stage, index: int) -> TrainingMemory:
    """`stage_memory` for a stage that is at hand, of a plan that was checked."""
    model, state, runtime = plan.model, plan.state, plan.runtime
    parameters = stage_parameters(model, stage, tensor=plan.tensor)
    copies = plan.data * plan.context
    flying = in_flight(stage=index, stages=plan.pipeline, micro_batches=plan.micro_batches)
    tokens = plan.tokens * plan.micro_batch / plan.context
    vocabulary = model.vocabulary / plan.tensor
    gathered_weights = 0.0
    if plan.zero_stage == 3 and copies > 1:
        gathered_weights = state.weights * parameters * min(2 / max(stage.layers, 1), 1)
    activations = kept_by_stage(plan, stage, flying)
    logits = runtime.logit_bytes * tokens * vocabulary if stage.head else 0.0
    buffers = runtime.embedding_bytes * vocabulary * model.hidden_size if stage.embedding else 0.0
    return TrainingMemory(
        weights=state.weights * parameters / (copies if plan.zero_stage >= 3 else 1),
        gradients=state.gradients * parameters / (copies if plan.zero_stage >= 2 else 1),
        optimizer=optimizer_bytes_per_parameter(state)
        * parameters
        / (copies if plan.zero_stage >= 1 else 1),
        gathered_weights=gathered_weights,
        buckets=runtime.bucket_bytes * parameters if copies > 1 else 0.0,
        activations=activations,
        logits=logits,
        gathered_states=gathered_by_stage(plan, stage, flying),
        embedding_buffers=buffers,
        overhead=runtime.overhead * (activations + logits),
        workspace=runtime.workspace,
        driver=runtime.driver,
    )


def training_total(memory: TrainingMemory) -> float:
    """All bytes on the GPU.

    >>> training_total(
    ...     TrainingMemory(
    ...         weights=1,
    ...         gradients=20,
    ...         optimizer=300,
    ...         gathered_weights=4e3,
    ...         buckets=5e4,
    ...         activations=6e5,
    ...         logits=7e6,
    ...         gathered_states=8e7,
    ...         embedding_buffers=9e8,
    ...         overhead=1e9,
    ...         workspace=2e10,
    ...         driver=3e11,
    ...     )
    ... )
    321987654321.0
    """
    return (
        memory.weights
        + memory.gradients
        + memory.optimizer
        + memory.gathered_weights
        + memory.buckets
        + memory.activations
        + memory.logits
        + memory.gathered_states
        + memory.embedding_buffers
        + memory.overhead
        + memory.workspace
        + memory.driver
    )


def fullest_stage(plan: TrainingPlan) -> TrainingMemory:
    """What a GPU of the fullest pipeline stage holds: that one has to fit.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> plan = TrainingPlan(model=llama_3_1_8b, tokens=1024, pipeline=6, micro_batches=7)
    >>> fullest_stage(plan) == stage_memory(plan, 0)
    True
    >>> fullest_stage(replace(plan, pipeline=2, micro_batches=1)).logits
    0.0
    >>> fullest_stage(replace(plan, pipeline=33))
    Traceback (most recent call last):
    ValueError: 33 pipeline stages are more than Llama 3.1 8B's 32 layers
    """
    check_training_plan(plan)
    stages = pipeline_stages(plan.model, plan.pipeline)
    held = [_held_by_stage(plan, stage, index) for index, stage in enumerate(stages)]
    return max(held, key=training_total)
