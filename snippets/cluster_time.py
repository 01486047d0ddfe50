"""A training run on paper: how long a step takes, and what the time goes to.

Nothing here is measured but what large matrix products reach; links run at their full bandwidth.
"""

from dataclasses import dataclass

from snippets.cluster_plan import plan_gpus, plan_micro_batches, plan_traffic
from snippets.clusters import ClusterPlan
from snippets.model_parameters import total_parameters
from snippets.parallelism import pipeline_bubble, training_operations


@dataclass(frozen=True, kw_only=True)
class StepTime:
    """Seconds of a step, by what they go to.

    `arithmetic` is the model's own at the GPU's peak, `below_peak` what it takes longer than that,
    `recomputed` doing forward passes twice; `exposed` is traffic that outlasts all the rest.
    """

    arithmetic: float
    below_peak: float
    recomputed: float
    tensor: float
    context: float
    bubble: float
    exposed: float


def plan_operations(plan: ClusterPlan) -> float:
    """The model's own operations in a step, over all GPUs, attention over the context included.

    Each token attends to half of its sequence on the average: two products, two operations a
    value, and twice as many backward.

    >>> from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run
    >>> plan_operations(llama_3_405b_run) / 1e15, plan_operations(llama_3_405b_long_run) / 1e15
    (42556.900468523534, 68092.31035571425)
    """
    step_tokens = plan.tokens * plan.sequences
    width = plan.model.heads * plan.model.head_dim
    attention = (2 + 4) * plan.tokens * width * plan.model.layers * step_tokens
    return training_operations(total_parameters(plan.model), step_tokens) + attention


def plan_time(plan: ClusterPlan) -> StepTime:
    """Seconds of a step if large products run as measured and links at their full bandwidth.

    Every rank waits for the tensor split's sums and the context's keys; the pipeline's and the
    copies' traffic runs beside the work, and counts only where it takes longer. The tensor split
    uses the server's links if it fits a server.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run
    >>> from snippets.hardware import rtx_3060
    >>> def show(plan):
    ...     time = plan_time(plan)
    ...     print([round(value, 4) for value in vars(time).values()])
    >>> show(llama_3_405b_run)
    [2.6264, 0.643, 0.0, 0.5345, 0.0, 0.4458, 0]
    >>> show(llama_3_405b_long_run)
    [4.2022, 1.0287, 0.0, 0.5345, 0.3221, 0.7134, 0]
    >>> show(replace(llama_3_405b_run, recompute=True, zero_stage=3, chunks=1))
    [2.6264, 0.643, 1.0898, 0.8017, 0.0, 4.8383, 0]
    >>> show(replace(llama_3_405b_run, tensor=16, pipeline=8))
    [2.6264, 0.643, 0.0, 10.3079, 0.0, 0.7425, 0]
    >>> show(replace(llama_3_405b_run, tensor=2, pipeline=2, data=1, context=2))
    [5378.7791, 1316.7685, 0.0, 153.9316, 4.8104, 0.4184, 0]
    >>> show(replace(llama_3_405b_run, tokens=2048, zero_stage=2))
    [0.6369, 0.1559, 0.0, 0.1336, 0.0, 0.1086, 3.1606]
    >>> show(replace(llama_3_405b_run, tensor=3, pipeline=1, context=3, data=1))
    [4781.137, 1170.4609, 0.0, 273.6562, 76.9658, 0.0, 0]
    >>> cluster = replace(llama_3_405b_run.cluster, accelerator=rtx_3060)
    >>> plan_time(replace(llama_3_405b_run, cluster=cluster))
    Traceback (most recent call last):
    ValueError: NVIDIA GeForce RTX 3060 12 GB needs dense_bf16 and link_bandwidth
    """
    cluster, traffic = plan.cluster, plan_traffic(plan)
    accelerator = cluster.accelerator
    peak, server = accelerator.dense_bf16, accelerator.link_bandwidth
    if peak is None or server is None:
        raise ValueError(f"{accelerator.name} needs dense_bf16 and link_bandwidth")
    within = server if plan.tensor <= cluster.server_gpus else cluster.network_bandwidth
    between = server if plan_gpus(plan) <= cluster.server_gpus else cluster.network_bandwidth
    operations = plan_operations(plan) / plan_gpus(plan)
    arithmetic = operations / peak
    below_peak = operations / cluster.product_operations - arithmetic
    recomputed = (arithmetic + below_peak) / 3 if plan.recompute else 0.0
    tensor = traffic.tensor / within
    context = traffic.context / between
    busy = arithmetic + below_peak + recomputed + tensor + context
    idle = pipeline_bubble(plan.pipeline, plan.chunks * plan_micro_batches(plan))
    bubble = busy * idle / (1 - idle)
    beside = (traffic.pipeline + traffic.data) / between
    return StepTime(
        arithmetic=arithmetic,
        below_peak=below_peak,
        recomputed=recomputed,
        tensor=tensor,
        context=context,
        bubble=bubble,
        exposed=max(0, beside - busy - bubble),
    )


def time_total(time: StepTime) -> float:
    """Seconds of the whole step.

    >>> time_total(StepTime(arithmetic=1, below_peak=20, recomputed=300, tensor=4e3, context=5e4,
    ...                     bubble=6e5, exposed=7e6))
    7654321.0
    """
    return (
        time.arithmetic
        + time.below_peak
        + time.recomputed
        + time.tensor
        + time.context
        + time.bubble
        + time.exposed
    )


def unexplained_seconds(plan: ClusterPlan) -> float:
    """Seconds of a step that a plan's published utilisation implies, beyond those of `plan_time`.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_run
    >>> round(unexplained_seconds(llama_3_405b_run), 4)
    2.1562
    >>> unexplained_seconds(replace(llama_3_405b_run, utilisation=0))
    Traceback (most recent call last):
    ValueError: no utilisation was published for this plan
    """
    if plan.utilisation == 0:
        raise ValueError("no utilisation was published for this plan")
    time = plan_time(plan)
    return time.arithmetic / plan.utilisation - time_total(time)
