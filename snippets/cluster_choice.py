"""Which split when: every even division of a cluster that fits, and the fastest of each family."""

from snippets.arguments import require_count
from snippets.cluster_plan import (
    memory_total,
    plan_memory,
)
from snippets.cluster_time import plan_time, time_total
from snippets.clusters import Cluster, ClusterPlan
from snippets.models import Model

FAMILIES = ("data", "tensor and data", "pipeline and data", "tensor, pipeline and data")


def powers_of_two(largest: int) -> list[int]:
    """1, 2, 4, ... up to `largest`.

    >>> powers_of_two(1), powers_of_two(11), powers_of_two(16)
    ([1], [1, 2, 4, 8], [1, 2, 4, 8, 16])
    >>> powers_of_two(0)
    Traceback (most recent call last):
    ValueError: largest must be a whole number from 1 up, not 0
    """
    require_count(largest=largest)
    powers = [1]
    while powers[-1] * 2 <= largest:
        powers.append(powers[-1] * 2)
    return powers


def plan_family(plan: ClusterPlan) -> str:
    """Which of the families a plan belongs to, by the splits that it uses.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_run
    >>> sizes = ((1, 1), (2, 1), (1, 2), (2, 2))
    >>> plans = [replace(llama_3_405b_run, tensor=t, pipeline=p) for t, p in sizes]
    >>> [plan_family(plan) for plan in plans]
    ['data', 'tensor and data', 'pipeline and data', 'tensor, pipeline and data']
    """
    if plan.pipeline > 1:
        return FAMILIES[3] if plan.tensor > 1 else FAMILIES[2]
    return FAMILIES[1] if plan.tensor > 1 else FAMILIES[0]


def plan_fits(plan: ClusterPlan) -> bool:
    """Whether what a GPU holds is at most its memory.

    >>> from dataclasses import replace
    >>> from snippets.clusters import llama_3_405b_run
    >>> plan_fits(llama_3_405b_run), plan_fits(replace(llama_3_405b_run, recompute=True))
    (False, True)
    >>> exact = replace(
    ...     llama_3_405b_run.cluster.accelerator, memory=memory_total(plan_memory(llama_3_405b_run)))
    >>> cluster = replace(llama_3_405b_run.cluster, accelerator=exact)
    >>> plan_fits(replace(llama_3_405b_run, cluster=cluster))
    True
    """
    return memory_total(plan_memory(plan)) <= plan.cluster.accelerator.memory


def feasible_plans(
    *, model: Model, cluster: Cluster, gpus: int, tokens: int, sequences: int
) -> list[ClusterPlan]:
    """Every plan by powers of two that uses all GPUs and fits them.

    The tensor split stays inside a server. Copies split the optimizer's state (ZeRO's stage 1) and,
    where there is no pipeline, are also tried with gradients (2) and weights (3) split. A pipeline
    is interleaved where its ranks have several layers. Recomputation is tried too.

    >>> from snippets.clusters import llama_3_cluster
    >>> from snippets.models import llama_3_1_405b, llama_3_2_1b
    >>> def show(**plans):
    ...     for p in feasible_plans(cluster=llama_3_cluster, **plans):
    ...         print(p.tensor, p.pipeline, p.data, p.chunks, p.zero_stage, p.recompute)
    >>> show(model=llama_3_2_1b, gpus=4, tokens=8192, sequences=12)
    1 1 4 1 1 False
    1 1 4 1 1 True
    1 1 4 1 2 False
    1 1 4 1 2 True
    1 1 4 1 3 False
    1 1 4 1 3 True
    1 2 2 8 1 False
    1 2 2 8 1 True
    1 4 1 4 1 False
    1 4 1 4 1 True
    2 1 2 1 1 False
    2 1 2 1 1 True
    2 1 2 1 2 False
    2 1 2 1 2 True
    2 1 2 1 3 False
    2 1 2 1 3 True
    2 2 1 8 1 False
    2 2 1 8 1 True
    4 1 1 1 1 False
    4 1 1 1 1 True
    >>> show(model=llama_3_2_1b, gpus=4, tokens=8192, sequences=13)
    1 4 1 1 1 False
    1 4 1 1 1 True
    2 2 1 1 1 False
    2 2 1 1 1 True
    4 1 1 1 1 False
    4 1 1 1 1 True
    >>> show(model=llama_3_2_1b, gpus=4, tokens=131072, sequences=6)
    1 2 2 1 1 True
    1 4 1 1 1 True
    2 2 1 8 1 True
    4 1 1 1 1 True
    >>> show(model=llama_3_2_1b, gpus=6, tokens=8192, sequences=6)
    1 1 6 1 1 False
    1 1 6 1 1 True
    1 1 6 1 2 False
    1 1 6 1 2 True
    1 1 6 1 3 False
    1 1 6 1 3 True
    1 2 3 8 1 False
    1 2 3 8 1 True
    2 1 3 1 1 False
    2 1 3 1 1 True
    2 1 3 1 2 False
    2 1 3 1 2 True
    2 1 3 1 3 False
    2 1 3 1 3 True
    >>> show(model=llama_3_1_405b, gpus=128, tokens=8192, sequences=64)
    1 64 2 1 1 True
    2 1 64 1 3 True
    2 32 2 3 1 True
    2 64 1 1 1 True
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
            interleaved = pipeline > 1 and sequences // data % pipeline == 0
            for zero_stage in (1, 2, 3) if pipeline == 1 and data > 1 else (1,):
                for recompute in (False, True):
                    plan = ClusterPlan(
                        model=model,
                        cluster=cluster,
                        tokens=tokens,
                        sequences=sequences,
                        tensor=tensor,
                        pipeline=pipeline,
                        data=data,
                        chunks=model.layers // pipeline if interleaved else 1,
                        zero_stage=zero_stage,
                        recompute=recompute,
                    )
                    if plan_fits(plan):
                        plans.append(plan)
    return plans


def fastest_plan(plans: list[ClusterPlan], name: str | None = None) -> ClusterPlan | None:
    """The plan with the shortest step, of one family or of all; None where none fits.

    >>> from snippets.clusters import llama_3_cluster
    >>> from snippets.models import llama_3_1_70b
    >>> plans = feasible_plans(
    ...     model=llama_3_1_70b, cluster=llama_3_cluster, gpus=64, tokens=8192, sequences=128)
    >>> for name in (None, *FAMILIES):
    ...     p = fastest_plan(plans, name)
    ...     print(p.tensor, p.pipeline, p.data, round(time_total(plan_time(p)), 2))
    4 8 2 10.65
    1 1 64 16.67
    8 1 8 12.07
    1 8 8 13.07
    4 8 2 10.65
    >>> fastest_plan([]) is None
    True
    >>> equal = [plans[0], ClusterPlan(**{**vars(plans[0]), "utilisation": 0.7})]
    >>> fastest_plan(equal).utilisation
    0
    >>> fastest_plan(plans, "both")
    Traceback (most recent call last):
    ValueError: no family of splits is called both
    """
    if name is not None and name not in FAMILIES:
        raise ValueError(f"no family of splits is called {name}")
    best = None
    for plan in plans:
        if name not in (None, plan_family(plan)):
            continue
        if best is None or time_total(plan_time(plan)) < time_total(plan_time(best)):
            best = plan
    return best
