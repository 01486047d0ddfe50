"""A training run on paper: what each GPU holds, and what it sends in a step.

Nothing here is measured. A plan is divided evenly: every stage has its share of the parameters
and as many layers as the fullest one, and the embedding and the output head are spread with them.
"""

import math
from dataclasses import dataclass

from snippets.arguments import require_count
from snippets.clusters import ClusterPlan
from snippets.kept_activations import layer_kept_bytes
from snippets.model_parameters import total_parameters
from snippets.parallelism import (
    all_reduce_bytes,
    gpus,
    tensor_parallel_bytes,
)
from snippets.runtimes import PYTORCH
from snippets.training_memory import optimizer_bytes_per_parameter

ACTIVATION_BYTES = 2  # BF16


@dataclass(frozen=True, kw_only=True)
class GpuMemory:
    """Bytes on one GPU, by part. `gathered` are weights that ZeRO's stage 3 collects for use."""

    weights: float
    gradients: float
    optimizer: float
    gathered: float
    activations: float
    logits: float


@dataclass(frozen=True, kw_only=True)
class GpuTraffic:
    """Bytes that one GPU sends in a step, by split."""

    tensor: float
    context: float
    pipeline: float
    data: float


def plan_gpus(plan: ClusterPlan) -> int:
    """GPUs of a plan.

    >>> from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run
    >>> plan_gpus(llama_3_405b_run), plan_gpus(llama_3_405b_long_run)
    (16384, 16384)
    """
    return gpus(tensor=plan.tensor, pipeline=plan.pipeline, data=plan.data, context=plan.context)


def plan_micro_batches(plan: ClusterPlan) -> int:
    """Micro-batches of one sequence that each copy of the model works through in a step.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_run
    >>> plan_micro_batches(llama_3_405b_run)
    16
    >>> plan_micro_batches(replace(llama_3_405b_run, data=89))
    Traceback (most recent call last):
    ValueError: sequences must be a multiple of the 89 copies, not 2048
    >>> plan_micro_batches(replace(llama_3_405b_run, data=0))
    Traceback (most recent call last):
    ValueError: data must be a whole number from 1 up, not 0
    """
    require_count(sequences=plan.sequences, data=plan.data)
    if plan.sequences % plan.data > 0:
        raise ValueError(
            f"sequences must be a multiple of the {plan.data} copies, not {plan.sequences}"
        )
    return plan.sequences // plan.data


def plan_layers(plan: ClusterPlan) -> int:
    """Layers of the fullest pipeline stage.

    >>> from snippets.clusters import llama_3_405b_run
    >>> plan_layers(llama_3_405b_run)
    8
    """
    return math.ceil(plan.model.layers / plan.pipeline)


def in_flight_at_most(*, pipeline: int, micro_batches: int, chunks: int = 1) -> float:
    """Micro-batches whose activations the first stage holds at once under (interleaved) 1F1B.

    A chunk of a stage counts as its share. Narayanan et al. 2021, section 2.2.

    >>> in_flight_at_most(pipeline=3, micro_batches=7), in_flight_at_most(pipeline=3, micro_batches=2)
    (3, 2)
    >>> in_flight_at_most(pipeline=3, micro_batches=21, chunks=4)
    3.5
    >>> in_flight_at_most(pipeline=3, micro_batches=3, chunks=4)
    3
    """
    if chunks == 1:
        return min(pipeline, micro_batches)
    ahead = (chunks - 1) * pipeline + 2 * (pipeline - 1) + 1
    return min(ahead / chunks, micro_batches)


def plan_memory(plan: ClusterPlan) -> GpuMemory:
    """What a GPU of the first pipeline stage holds; buffers are left out.

    ZeRO as in Rajbhandari et al. 2020, section 5, over data and context copies; stage 3 also
    gathers the weights of two layers, the one at work and the next. Recomputation keeps each
    layer's input and all of the layer at work. Logits are the last stage's.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run
    >>> [round(part / 1e6) for part in vars(plan_memory(llama_3_405b_run)).values()]
    [6341, 12683, 297, 0, 82141, 0]
    >>> few = replace(llama_3_405b_run, data=7, sequences=35, context=3, chunks=1)
    >>> for stage in (0, 1, 2, 3):
    ...     memory = plan_memory(replace(few, zero_stage=stage))
    ...     print([round(part / 1e9, 3) for part in (memory.weights, memory.gradients)],
    ...           round(memory.optimizer / 1e9, 3), round(memory.gathered / 1e9, 3))
    [6.341, 12.683] 38.049 0.0
    [6.341, 12.683] 1.812 0.0
    [6.341, 0.604] 1.812 0.0
    [0.302, 0.604] 1.812 1.585
    >>> [round(plan_memory(replace(few, recompute=on)).activations / 1e9, 3) for on in (False, True)]
    [8.556, 0.661]
    >>> alone = replace(few, data=1, context=1, zero_stage=3)
    >>> plan_memory(alone).gathered, plan_memory(replace(alone, context=2)).gathered
    (0.0, 1585364800.0)
    >>> plan_memory(replace(alone, pipeline=1)).logits, plan_memory(alone).logits
    (1313341440.0, 0.0)
    """
    copies = plan.data * plan.context
    parameters = total_parameters(plan.model) / (plan.tensor * plan.pipeline)
    layers = plan_layers(plan)
    flying = in_flight_at_most(
        pipeline=plan.pipeline, micro_batches=plan_micro_batches(plan), chunks=plan.chunks
    )
    tokens = plan.tokens / plan.context
    layer = max(
        layer_kept_bytes(plan.model, each, tokens=tokens, tensor=plan.tensor)
        for each in range(plan.model.layers)
    )
    activations = flying * layers * layer
    if plan.recompute:
        hidden = ACTIVATION_BYTES * tokens * plan.model.hidden_size / plan.tensor
        activations = flying * layers * hidden + layer
    logits = PYTORCH.logit_bytes * tokens * plan.model.vocabulary / plan.tensor
    gathered = 0.0
    if plan.zero_stage == 3 and copies > 1:
        gathered = 2 * plan.state.weights * parameters / layers
    return GpuMemory(
        weights=plan.state.weights * parameters / (copies if plan.zero_stage >= 3 else 1),
        gradients=plan.state.gradients * parameters / (copies if plan.zero_stage >= 2 else 1),
        optimizer=optimizer_bytes_per_parameter(plan.state)
        * parameters
        / (copies if plan.zero_stage >= 1 else 1),
        gathered=gathered,
        activations=activations,
        logits=logits if plan.pipeline == 1 else 0.0,
    )


def memory_total(memory: GpuMemory) -> float:
    """All bytes on the GPU.

    >>> memory_total(GpuMemory(weights=1, gradients=20, optimizer=300, gathered=4e3, activations=5e4,
    ...                        logits=6e5))
    654321.0
    """
    return (
        memory.weights
        + memory.gradients
        + memory.optimizer
        + memory.gathered
        + memory.activations
        + memory.logits
    )


def plan_traffic(plan: ClusterPlan) -> GpuTraffic:
    """What a GPU in the middle of the pipeline sends in a step.

    Tensor: four all-reduces of the hidden states per layer and micro-batch, six if forward passes
    are repeated. Context: keys and values gathered, their gradients reduced (Llama Team 2024,
    section 3.3.2). Pipeline: a hidden state on and a gradient back, for each chunk and
    micro-batch, each tensor rank its part. Data: gradients reduced and weights gathered once a
    step (without ZeRO, the gradients); with ZeRO's stage 2 the former, with stage 3 both and the
    weights twice, for every micro-batch (Rajbhandari et al. 2020, section 7).

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run
    >>> plan_traffic(llama_3_405b_run)
    GpuTraffic(tensor=240518168576.0, context=0.0, pipeline=8589934592.0, data=18875749650.0)
    >>> plan_traffic(replace(llama_3_405b_long_run, recompute=True, tensor=4))
    GpuTraffic(tensor=309237645312.0, context=48318382080.0, pipeline=17179869184.0, data=37751499300.0)
    >>> few = replace(llama_3_405b_run, data=7, sequences=35, pipeline=2)
    >>> [round(plan_traffic(replace(few, zero_stage=stage)).data / 1e9, 3) for stage in (0, 1, 2, 3)]
    [173.937, 130.453, 478.327, 869.686]
    >>> plan_traffic(replace(few, pipeline=1)).pipeline, plan_traffic(few).pipeline
    (0, 2684354560.0)
    """
    count = plan_micro_batches(plan)
    tokens = plan.tokens / plan.context
    passes = 3 / 2 if plan.recompute else 1
    works = passes * plan_layers(plan) * count
    model = plan.model
    keys_and_values = (
        2 * plan.tokens * model.kv_heads * model.head_dim * ACTIVATION_BYTES / plan.tensor
    )
    hidden = ACTIVATION_BYTES * tokens * model.hidden_size / plan.tensor
    copies = plan.data * plan.context
    share = (copies - 1) / copies * total_parameters(model) / (plan.tensor * plan.pipeline)
    reduced = count if plan.zero_stage >= 2 else 1
    gathered = 2 * count if plan.zero_stage == 3 else 1
    passed_on = plan.state.gradients if plan.zero_stage == 0 else gathered * plan.state.weights
    return GpuTraffic(
        tensor=works
        * tensor_parallel_bytes(
            tokens=tokens,
            sequences=1,
            width=model.hidden_size,
            bytes_per_element=ACTIVATION_BYTES,
            ranks=plan.tensor,
        ),
        context=works * all_reduce_bytes(keys_and_values, plan.context),
        pipeline=2 * plan.chunks * count * hidden if plan.pipeline > 1 else 0,
        data=share * (reduced * plan.state.gradients + passed_on),
    )


def in_flight_that_fits(plan: ClusterPlan) -> float:
    """Micro-batches whose activations the memory has room for beside weights and their state.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_run
    >>> round(in_flight_that_fits(llama_3_405b_run), 3)
    12.968
    >>> round(in_flight_that_fits(replace(llama_3_405b_run, chunks=1, sequences=128 * 30)), 3)
    12.968
    """
    memory = plan_memory(plan)
    room = plan.cluster.accelerator.memory - (memory_total(memory) - memory.activations)
    flying = in_flight_at_most(
        pipeline=plan.pipeline, micro_batches=plan_micro_batches(plan), chunks=plan.chunks
    )
    return room / (memory.activations / flying)
