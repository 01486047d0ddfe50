"""Which split when: every even division of a cluster that fits, and the fastest of each family."""

from snippets.clusters import Cluster
from snippets.hardware import usable_memory
from snippets.models import Model
from snippets.stage_memory import fullest_stage
from snippets.step_time import step_time
from snippets.training_plan import TrainingPlan

FAMILIES = ("data", "tensor and data", "pipeline and data", "tensor, pipeline and data")


def plan_family(plan: TrainingPlan) -> str:
    """Which of the families a plan belongs to, by the splits that it uses.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_run
    >>> sizes = ((1, 1), (2, 1), (1, 2), (2, 2))
    >>> plans = [replace(llama_3_405b_run, tensor=t, pipeline=p) for t, p in sizes]
    >>> [plan_family(plan) for plan in plans]
    ['data', 'tensor and data', 'pipeline and data', 'tensor, pipeline and data']
    """
    return FAMILIES[(2 if plan.pipeline > 1 else 0) + (1 if plan.tensor > 1 else 0)]


def feasible_plans(
    *, model: Model, cluster: Cluster, gpus: int, tokens: int, sequences: int
) -> list[TrainingPlan]:
    """Every plan by powers of two that uses all GPUs and fits them.

    The tensor split stays inside a server. Copies split the optimizer's state (ZeRO's stage 1) and,
    where there is no pipeline, are also tried with gradients (2) and weights (3) split. A pipeline
    is interleaved where its ranks have several layers. Recomputation is tried too.

    >>> from snippets.clusters import llama_3_cluster
    >>> from snippets.models import llama_3_1_405b, llama_3_2_1b
    >>> def show(**plans):
    ...     for p in feasible_plans(cluster=llama_3_cluster, **plans):
    ...         print(p.tensor, p.pipeline, p.data, p.chunks, p.zero_stage, p.recompute)
    >>> show(model=llama_3_2_1b, gpus=4, tokens=8192, sequences=13)
    1 4 1 1 1 False
    1 4 1 1 1 True
    2 2 1 1 1 False
    2 2 1 1 1 True
    4 1 1 1 1 False
    4 1 1 1 1 True
    >>> show(model=llama_3_1_405b, gpus=128, tokens=8192, sequences=64)
    2 1 64 1 3 True
    4 1 32 1 3 True
    4 16 2 7 1 True
    4 32 1 3 1 True
    8 1 16 1 3 True
    8 8 2 15 1 True
    8 16 1 7 1 True
    """
    plans = []
    for tensor in powers_of_two(min(gpus, cluster.server_gpus)):
        for pipeline in powers_of_two(min(gpus, model.layers)):
            data = gpus // (tensor * pipeline)
            if data * tensor * pipeline != gpus or sequences % data > 0:
                continue
            micro_batches = sequences // data
            interleaved = pipeline > 1 and micro_batches % pipeline == 0
            for zero_stage in (1, 2, 3) if pipeline == 1 and data > 1 else (1,):
                for recompute in (False, True):
                    plan = TrainingPlan(
                        model=model,
                        tokens=tokens,
                        micro_batches=micro_batches,
                        tensor=tensor,
                        pipeline=pipeline,
                        chunks=model.layers // pipeline if interleaved else 1,
                        data=data,
                        zero_stage=zero_stage,
                        recompute=recompute,
                    )
                    if fullest_stage(plan).total <= usable_memory(cluster.accelerator):
                        plans.append(plan)
    return plans


def powers_of_two(largest: int) -> list[int]:
    """1, 2, 4, ... up to `largest`.

    >>> powers_of_two(1), powers_of_two(11), powers_of_two(16)
    ([1], [1, 2, 4, 8], [1, 2, 4, 8, 16])
    """
    powers = [1]
    while powers[-1] * 2 <= largest:
        powers.append(powers[-1] * 2)
    return powers


def fastest_plan(
    plans: list[TrainingPlan], cluster: Cluster, name: str | None = None
) -> TrainingPlan | None:
    """The plan with the shortest step, of one family or of all; None where none fits.

    >>> from snippets.clusters import llama_3_cluster
    >>> from snippets.models import llama_3_1_70b
    >>> plans = feasible_plans(
    ...     model=llama_3_1_70b, cluster=llama_3_cluster, gpus=64, tokens=8192, sequences=128)
    >>> for name in (None, *FAMILIES):
    ...     p = fastest_plan(plans, llama_3_cluster, name)
    ...     print(p.tensor, p.pipeline, p.data, round(step_time(p, llama_3_cluster).total, 2))
    8 1 8 11.94
    1 1 64 16.67
    8 1 8 11.94
    1 8 8 12.89
    8 2 4 11.95
    >>> fastest_plan([], llama_3_cluster) is None
    True
    >>> fastest_plan(plans, llama_3_cluster, "both")
    Traceback (most recent call last):
    ValueError: no family of splits is called both
    """
    if name is not None and name not in FAMILIES:
        raise ValueError(f"no family of splits is called {name}")
    chosen = [plan for plan in plans if name in (None, plan_family(plan))]
    return min(chosen, key=lambda plan: step_time(plan, cluster).total, default=None)
