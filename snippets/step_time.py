"""A training step on paper: what each GPU sends, how long it takes, and what the time goes to.

Nothing here is measured but what large matrix products reach; links run at their full bandwidth.
"""

from dataclasses import dataclass

from snippets.clusters import Cluster, PublishedRun
from snippets.kv_cache import cache_growth
from snippets.operations import training_operations_per_token
from snippets.parallelism import all_reduce_bytes, pipeline_bubble, tensor_parallel_bytes
from snippets.pipeline_stages import pipeline_stages, stage_parameters
from snippets.training_plan import TrainingPlan, check_training_plan, plan_gpus, plan_sequences

ACTIVATION_BYTES = 2  # BF16


@dataclass(frozen=True, kw_only=True)
class GpuTraffic:
    """Bytes that one GPU sends in a step, by split."""

    tensor: float
    context: float
    pipeline: float
    data: float


@dataclass(frozen=True, kw_only=True)
class StepTime:
    """Seconds of a step, by what they go to, and their `total`.

    `arithmetic` is the model's own at the GPU's peak, `below_peak` what it takes longer than that,
    `recomputed` doing forward passes twice; `exposed` is traffic that outlasts all the rest.

    >>> StepTime(arithmetic=1, below_peak=20, recomputed=300, tensor=4e3, context=5e4, bubble=6e5,
    ...          exposed=7e6).total
    7654321.0
    """

    arithmetic: float
    below_peak: float
    recomputed: float
    tensor: float
    context: float
    bubble: float
    exposed: float

    @property
    def total(self) -> float:
        """Seconds of all parts."""
        return sum(vars(self).values())


def step_traffic(plan: TrainingPlan) -> GpuTraffic:
    """What a GPU of the pipeline rank with the most layers and parameters sends in a step.

    Tensor: four all-reduces of the hidden states per layer and micro-batch, six if forward passes
    are repeated. Context: keys and values gathered, their gradients reduced (Llama Team 2024,
    section 3.3.2). Pipeline: a hidden state on and a gradient back, for each chunk and
    micro-batch, each tensor rank its part. Data: gradients reduced and weights gathered once a
    step (without ZeRO, the gradients); with ZeRO's stage 2 the former, with stage 3 both and the
    weights twice, for every micro-batch (Rajbhandari et al. 2020, section 7).

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run
    >>> step_traffic(llama_3_405b_run)
    GpuTraffic(tensor=240518168576.0, context=0.0, pipeline=8589934592.0, data=18978164736.0)
    >>> step_traffic(replace(llama_3_405b_long_run, recompute=True, tensor=4))
    GpuTraffic(tensor=309237645312.0, context=48318382080.0, pipeline=17179869184.0, data=37954768896.0)
    >>> few = replace(llama_3_405b_run, data=7, micro_batches=5, pipeline=2, chunks=1)
    >>> [round(step_traffic(replace(few, zero_stage=stage)).data / 1e9, 3) for stage in (0, 1, 2, 3)]
    [176.682, 132.512, 485.876, 883.41]
    >>> step_traffic(replace(few, pipeline=1)).pipeline, step_traffic(few).pipeline
    (0.0, 335544320.0)
    """
    check_training_plan(plan)
    model, count = plan.model, plan.micro_batches
    stages = pipeline_stages(model, plan.pipeline, plan.chunks)
    layers = max(len(stage.layers) for stage in stages)
    parameters = max(stage_parameters(model, stage, tensor=plan.tensor) for stage in stages)
    tokens = plan.micro_batch * plan.tokens
    hidden = ACTIVATION_BYTES * tokens / plan.context * model.hidden_size / plan.tensor
    works = (3 / 2 if plan.recompute else 1) * layers * count
    copies = plan.data * plan.context
    reduced = count if plan.zero_stage >= 2 else 1
    gathered = 2 * count if plan.zero_stage == 3 else 1
    passed_on = plan.state.gradients if plan.zero_stage == 0 else gathered * plan.state.weights
    return GpuTraffic(
        tensor=works
        * tensor_parallel_bytes(
            tokens=tokens / plan.context,
            sequences=1,
            width=model.hidden_size,
            bytes_per_element=ACTIVATION_BYTES,
            ranks=plan.tensor,
        ),
        context=works
        * all_reduce_bytes(
            tokens * cache_growth(model, ACTIVATION_BYTES) / model.layers / plan.tensor,
            plan.context,
        ),
        pipeline=2 * plan.chunks * count * hidden if plan.pipeline > 1 else 0.0,
        data=(copies - 1) / copies * parameters * (reduced * plan.state.gradients + passed_on),
    )


def step_time(plan: TrainingPlan, cluster: Cluster) -> StepTime:
    """Seconds of a step if large products run as measured and links at their full bandwidth.

    Every rank waits for the tensor split's sums and the context's keys; the pipeline's and the
    copies' traffic runs beside the work, and counts only where it takes longer. The tensor split
    uses the server's links if it fits a server.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run, llama_3_cluster
    >>> from snippets.hardware import rtx_3060
    >>> def show(plan):
    ...     time = step_time(plan, llama_3_cluster)
    ...     print([round(value, 4) for value in vars(time).values()])
    >>> show(llama_3_405b_run)
    [2.6133, 0.6398, 0.0, 0.5345, 0.0, 0.4439, 0.0]
    >>> show(llama_3_405b_long_run)
    [4.1892, 1.0255, 0.0, 0.5345, 0.3221, 0.7115, 0.0]
    >>> show(replace(llama_3_405b_run, recompute=True, zero_stage=3, chunks=1))
    [2.6133, 0.6398, 1.0844, 0.8017, 0.0, 4.8179, 0.0]
    >>> show(replace(llama_3_405b_run, tensor=16, pipeline=8))
    [2.6133, 0.6398, 0.0, 10.3079, 0.0, 0.7416, 0.0]
    >>> show(replace(llama_3_405b_run, tensor=2, pipeline=2, data=1, context=2))
    [41.8128, 10.2361, 0.0, 1.2026, 0.0376, 0.4163, 0.0]
    >>> show(replace(llama_3_405b_run, tokens=2048, zero_stage=2))
    [0.6336, 0.1551, 0.0, 0.1336, 0.0, 0.1081, 3.1877]
    >>> step_time(llama_3_405b_run, replace(llama_3_cluster, accelerator=rtx_3060))
    Traceback (most recent call last):
    ValueError: NVIDIA GeForce RTX 3060 12 GB needs dense_bf16 and link_bandwidth
    """
    accelerator, traffic = cluster.accelerator, step_traffic(plan)
    peak, server = accelerator.dense_bf16, accelerator.link_bandwidth
    if peak is None or server is None:
        raise ValueError(f"{accelerator.name} needs dense_bf16 and link_bandwidth")
    within = server if plan.tensor <= cluster.server_gpus else cluster.network_bandwidth
    between = server if plan_gpus(plan) <= cluster.server_gpus else cluster.network_bandwidth
    each = training_operations_per_token(plan.model, tokens=plan.tokens)
    operations = each * plan.tokens * plan_sequences(plan) / plan_gpus(plan)
    arithmetic = operations / peak
    below_peak = operations / cluster.product_operations - arithmetic
    recomputed = (arithmetic + below_peak) / 3 if plan.recompute else 0.0
    tensor = traffic.tensor / within
    context = traffic.context / between
    busy = arithmetic + below_peak + recomputed + tensor + context
    idle = pipeline_bubble(plan.pipeline, plan.chunks * plan.micro_batches)
    bubble = busy * idle / (1 - idle)
    beside = (traffic.pipeline + traffic.data) / between
    return StepTime(
        arithmetic=arithmetic,
        below_peak=below_peak,
        recomputed=recomputed,
        tensor=tensor,
        context=context,
        bubble=bubble,
        exposed=max(0.0, beside - busy - bubble),
    )


def published_step_seconds(run: PublishedRun) -> float:
    """Seconds of a step that a run's published share of the peak implies.

    >>> from snippets.clusters import llama_3_405b_run
    >>> round(published_step_seconds(llama_3_405b_run), 4)
    6.3739
    """
    return step_time(run, run.cluster).arithmetic / run.utilisation
