"""What one GPU holds in training, part by part: the one sum behind chapters, planner and figures."""

from dataclasses import dataclass

from snippets.adapters import adapter_kept_bytes, layer_adapter_parameters, widened_bytes
from snippets.kept_activations import layer_kept_bytes
from snippets.model_parameters import split_parameters
from snippets.models import layer_of
from snippets.pipeline_stages import (
    Stage,
    pipeline_stages,
    stage_model,
    stage_parameters,
    stage_units,
)
from snippets.training_memory import optimizer_bytes_per_parameter
from snippets.training_plan import TrainingPlan, check_training_plan, in_flight
from snippets.weight_bytes import model_bytes


@dataclass(frozen=True, kw_only=True)
class TrainingMemory:
    """Bytes on one GPU, by part, and their `total`.

    With adapters `weights`, `gradients` and `optimizer` are theirs; `frozen_weights` are those that are
    not trained, and `widened_matrix` is the one of them that is multiplied by.

    >>> values = {"weights": 1, "gradients": 20, "optimizer": 300, "gathered_weights": 4e3}
    >>> values |= {"buckets": 5e4, "activations": 6e5, "logits": 7e6, "gathered_states": 8e7}
    >>> values |= {"embedding_buffers": 9e8, "overhead": 1e9, "workspace": 2e10, "driver": 3e11}
    >>> values |= {"frozen_weights": 4e12, "widened_matrix": 5e13}
    >>> TrainingMemory(**values).total
    54321987654321.0
    """

    frozen_weights: float
    weights: float
    gradients: float
    optimizer: float
    gathered_weights: float
    widened_matrix: float
    buckets: float
    activations: float
    logits: float
    gathered_states: float
    embedding_buffers: float
    overhead: float
    workspace: float
    driver: float

    @property
    def total(self) -> float:
        """Bytes of all parts."""
        return sum(vars(self).values())


def kept_by_stage(plan: TrainingPlan, stage: Stage, flying: float) -> float:
    """Bytes of activations that one GPU of a stage holds with `flying` micro-batches in flight.

    With recomputation each layer keeps its input alone (Chen et al. 2016), and the layer at work
    all that it needs.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.runtimes import PYTORCH
    >>> split = {"tokens": 1024, "micro_batch": 3, "tensor": 4, "context": 2}
    >>> plan = TrainingPlan(model=llama_3_1_8b, **split)
    >>> stage = Stage(layers=[5, 6, 7, 8, 9, 10, 11], embedding=False, head=False)
    >>> kept_by_stage(plan, stage, 11)
    4965531648.0
    >>> kept_by_stage(replace(plan, sequence_parallel=False), stage, 11)
    7872184320.0
    >>> recomputing = replace(plan, recompute=True)
    >>> kept_by_stage(recomputing, stage, 11)
    306708480.0
    >>> kept_by_stage(replace(recomputing, sequence_parallel=False), stage, 11)
    1071120384.0
    >>> kept_by_stage(recomputing, replace(stage, layers=[]), 11)
    0.0
    >>> copying = replace(plan, runtime=replace(PYTORCH, copied_states=5))
    >>> kept_by_stage(copying, stage, 11)
    6176636928.0
    """
    tokens = plan.tokens * plan.micro_batch / plan.context
    state = 2 * tokens * plan.model.hidden_size
    divided = plan.tensor if plan.sequence_parallel else 1
    whole = [
        layer_kept_bytes(
            plan.model,
            layer,
            tokens=tokens,
            tensor=plan.tensor,
            sequence_parallel=plan.sequence_parallel,
        )
        + plan.runtime.copied_states * state / plan.tensor
        + adapter_kept_bytes(layer_of(plan.model, layer), plan.adapter_rank, tokens=tokens)
        for layer in stage.layers
    ]
    if not plan.recompute:
        return flying * sum(whole)
    return flying * len(stage.layers) * state / divided + max(whole, default=0)


def gathered_by_stage(plan: TrainingPlan, stage: Stage, flying: float) -> float:
    """Bytes of undivided hidden states that a tensor split has in memory at once.

    Those at work; and where gathered inputs wait, two a layer (of attention and of the MLP) for
    every micro-batch in flight but the two newest, or for the only one where there are no stages.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.runtimes import PYTORCH
    >>> plan = TrainingPlan(model=llama_3_1_8b, tokens=1024, micro_batch=3, tensor=4, context=2)
    >>> stage = Stage(layers=[5, 6, 7, 8, 9, 10, 11], embedding=False, head=False)
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
        states = min(states + 2 * len(stage.layers) * older, plan.runtime.waiting_states)
    return states * 2 * plan.tokens * plan.micro_batch / plan.context * plan.model.hidden_size


def gathered_parameters(plan: TrainingPlan, stage: Stage) -> float:
    """Parameters that ZeRO's stage 3 has gathered at once: the unit at work and the next.

    A unit is the embedding, a layer, or the output head with the last norm (Zhao et al. 2023,
    section 3.3); a tied head is the embedding again.

    >>> from snippets.models import gemma_2_9b, llama_3_1_8b
    >>> def gathered(model, **splits):
    ...     plan = TrainingPlan(model=model, tokens=1024, **splits)
    ...     return gathered_parameters(plan, pipeline_stages(model, plan.pipeline)[0])
    >>> gathered(llama_3_1_8b), gathered(llama_3_1_8b, tensor=2), gathered(gemma_2_9b)
    (743452672.0, 371732480.0, 1115699200.0)
    >>> gathered_parameters(TrainingPlan(model=gemma_2_9b, tokens=9),
    ...                     Stage(layers=[], embedding=True, head=True))
    917507584.0
    """
    units = stage_units(plan.model, stage)
    sizes = [split_parameters(unit, plan.tensor) for unit in units]
    if stage.embedding and stage.head and plan.model.tied_embeddings:
        return sizes[0] + max(sizes[1:])
    pairs = [sizes[each] + sum(sizes[each + 1 : each + 2]) for each in range(len(sizes))]
    return max(pairs, default=0.0)


def stage_memory(plan: TrainingPlan, index: int) -> TrainingMemory:
    """What one GPU of pipeline rank `index` (counted from 0) holds.

    ZeRO as in Rajbhandari et al. 2020, section 5, over data and context copies.

    >>> from dataclasses import replace
    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.runtimes import PYTORCH
    >>> from snippets.training_memory import FP32_GRADIENTS, MIXED_PRECISION
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
    >>> pair = stage_memory(replace(plan, data=1, zero_stage=3), 1)
    >>> pair.buckets, pair.gathered_weights
    (981614592.0, 218136576.0)
    >>> from snippets.weight_formats import nf4
    >>> thin = replace(plan, adapter_rank=16, frozen=nf4, data=1, context=1, state=MIXED_PRECISION)
    >>> held = stage_memory(thin, 1)
    >>> held.weights, held.gradients, held.optimizer, held.frozen_weights, held.widened_matrix
    (8060928.0, 8060928.0, 48365568.0, 184123392.0, 29360128.0)
    >>> whole = replace(thin, adapter_rank=0)
    >>> held.activations - stage_memory(whole, 1).activations  # 16 elements of 7 matrices
    20643840.0
    >>> interleaved = replace(plan, chunks=5, micro_batches=12)
    >>> [round(stage_memory(interleaved, index).activations / 1e6) for index in (0, 1, 5)]
    [2257, 2554, 1612]
    """
    return all_stages(plan)[index]


def all_stages(plan: TrainingPlan) -> list[TrainingMemory]:
    """`stage_memory` of every rank, in order.

    >>> from snippets.models import gpt2_xl
    >>> plan = TrainingPlan(model=gpt2_xl, tokens=1024, pipeline=3, micro_batches=3)
    >>> [round(memory.total / 1e9, 1) for memory in all_stages(plan)]
    [13.3, 11.0, 10.3]
    """
    check_training_plan(plan)
    stages = pipeline_stages(plan.model, plan.pipeline, plan.chunks)
    return [_held_by_stage(plan, stage, index) for index, stage in enumerate(stages)]


def _held_by_stage(plan: TrainingPlan, stage: Stage, index: int) -> TrainingMemory:
    """`stage_memory` of one stage of a plan that was checked."""
    model, state, runtime = plan.model, plan.state, plan.runtime
    parameters = stage_parameters(model, stage, tensor=plan.tensor)
    frozen, gathered_each, widened = 0.0, state.weights, 0.0
    if plan.adapter_rank:
        here = stage_model(model, stage)
        frozen = model_bytes(here, plan.frozen, tensor=plan.tensor, whole=model)
        gathered_each = frozen / max(parameters, 1)  # a rank may hold nothing
        widened = widened_bytes(here, plan.frozen, tensor=plan.tensor)
        parameters = sum(
            layer_adapter_parameters(layer_of(model, layer), plan.adapter_rank, tensor=plan.tensor)
            for layer in stage.layers
        )
    copies = plan.data * plan.context
    flying = in_flight(
        rank=index,
        pipeline=plan.pipeline,
        micro_batches=plan.micro_batches,
        chunks=plan.chunks,
    )
    tokens = plan.tokens * plan.micro_batch / plan.context
    vocabulary = model.vocabulary / plan.tensor
    gathered_weights = 0.0
    if plan.zero_stage == 3 and copies > 1:
        gathered_weights = gathered_each * gathered_parameters(plan, stage)
    activations = kept_by_stage(plan, stage, flying)
    logits = runtime.logit_bytes * tokens * vocabulary if stage.head else 0.0
    buffers = runtime.embedding_bytes * vocabulary * model.hidden_size if stage.embedding else 0.0
    return TrainingMemory(
        frozen_weights=frozen / (copies if plan.zero_stage >= 3 else 1),
        weights=state.weights * parameters / (copies if plan.zero_stage >= 3 else 1),
        gradients=state.gradients * parameters / (copies if plan.zero_stage >= 2 else 1),
        optimizer=optimizer_bytes_per_parameter(state)
        * parameters
        / (copies if plan.zero_stage >= 1 else 1),
        gathered_weights=gathered_weights,
        widened_matrix=widened,
        buckets=runtime.bucket_bytes * parameters if copies > 1 else 0.0,
        activations=activations,
        logits=logits,
        gathered_states=gathered_by_stage(plan, stage, flying),
        embedding_buffers=buffers,
        overhead=runtime.overhead * (activations + logits),
        workspace=runtime.workspace,
        driver=runtime.driver,
    )


def fullest_stage(plan: TrainingPlan) -> TrainingMemory:
    """What a GPU of the fullest pipeline rank holds: that one has to fit.

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
    return max(all_stages(plan), key=lambda memory: memory.total)


def in_flight_that_fits(plan: TrainingPlan, memory: float) -> float:
    """Micro-batches whose activations have room beside all else on the fullest rank's GPU.

    >>> from snippets.clusters import llama_3_405b_run
    >>> round(in_flight_that_fits(llama_3_405b_run, 80 * 2**30), 3)
    11.983
    """
    held = all_stages(plan)
    rank = max(range(plan.pipeline), key=lambda each: held[each].total)
    flying = in_flight(
        rank=rank,
        pipeline=plan.pipeline,
        micro_batches=plan.micro_batches,
        chunks=plan.chunks,
    )
    activations = (1 + plan.runtime.overhead) * held[rank].activations
    return (memory - held[rank].total + activations) / (activations / flying)
