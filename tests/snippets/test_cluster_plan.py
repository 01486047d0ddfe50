"""Plans on paper agree with the formulas of the chapters, and with sums done by hand."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.cluster_choice import (
    FAMILIES,
    fastest_plan,
    feasible_plans,
    plan_family,
    plan_fits,
)
from snippets.cluster_plan import (
    in_flight_at_most,
    memory_total,
    plan_gpus,
    plan_memory,
    plan_traffic,
)
from snippets.cluster_time import plan_time, time_total, unexplained_seconds
from snippets.clusters import ClusterPlan, llama_3_405b_long_run, llama_3_405b_run, llama_3_cluster
from snippets.model_parameters import total_parameters
from snippets.models import Model, llama_3_1_8b, llama_3_1_70b, llama_3_1_405b
from snippets.pipeline_schedule import one_forward_one_backward
from snippets.pipeline_timeline import peak_in_flight
from snippets.training_memory import zero_bytes_per_parameter


@settings(deadline=None)
@given(pipeline=st.integers(1, 8), rounds=st.integers(1, 6), chunks=st.integers(1, 5))
def test_in_flight_is_what_the_schedule_keeps(pipeline: int, rounds: int, chunks: int) -> None:
    count = pipeline * rounds
    first = one_forward_one_backward(pipeline, count, chunks)[0]
    expected = in_flight_at_most(pipeline=pipeline, micro_batches=count, chunks=chunks)
    assert peak_in_flight(first) / chunks == pytest.approx(expected)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
@settings(deadline=None)
@given(data=st.sampled_from([1, 2, 4, 64]), tensor=st.sampled_from([1, 8]))
def test_state_is_zeros_formula(stage: int, data: int, tensor: int) -> None:
    plan = ClusterPlan(
        model=llama_3_1_8b,
        cluster=llama_3_cluster,
        tokens=8192,
        sequences=64,
        tensor=tensor,
        data=data,
        zero_stage=stage,
    )
    memory = plan_memory(plan)
    state = memory.weights + memory.gradients + memory.optimizer
    per_parameter = zero_bytes_per_parameter(stage=stage, copies=data)
    assert state * tensor / total_parameters(llama_3_1_8b) == pytest.approx(per_parameter)


def test_both_layouts_of_llama_3_1_405b_by_hand() -> None:
    for plan in (llama_3_405b_run, llama_3_405b_long_run):
        assert plan_gpus(plan) == 16384
        assert plan.sequences * plan.tokens == 2**24
    memory = plan_memory(llama_3_405b_run)
    assert memory.weights == pytest.approx(405.85e9 * 2 / 128, rel=1e-4)
    # 8 layers x 16 micro-batches x 8,192 tokens x 2 bytes x (4h + 2.125h + 13h) / 8, ffn 3.25h
    assert memory.activations == 8 * 16 * 8192 * 2 * (4 + 2.125 + 13) * 16384 / 8
    traffic = plan_traffic(llama_3_405b_run)
    # 4 all-reduces of 8,192 x 16,384 x 2 bytes, 7/4 of them sent, 8 layers, 16 micro-batches
    assert traffic.tensor == 4 * 7 / 4 * 8192 * 16384 * 2 * 8 * 16


def test_where_the_peak_goes_adds_up_to_the_published_step() -> None:
    plan = llama_3_405b_run
    step = time_total(plan_time(plan)) + unexplained_seconds(plan)
    assert plan_time(plan).arithmetic / step == pytest.approx(plan.utilisation)


def test_a_tensor_split_over_the_network_takes_nine_times_as_long() -> None:
    inside = plan_time(llama_3_405b_run)
    slow = replace(llama_3_cluster, server_gpus=4)
    outside = plan_time(replace(llama_3_405b_run, cluster=slow))
    assert outside.tensor == pytest.approx(9 * inside.tensor)


@pytest.mark.parametrize("model", [llama_3_1_8b, llama_3_1_70b, llama_3_1_405b])
@pytest.mark.parametrize("gpus", [8, 512, 16384])
def test_feasible_plans_use_every_gpu_and_fit(model, gpus: int) -> None:
    plans = feasible_plans(
        model=model, cluster=llama_3_cluster, gpus=gpus, tokens=8192, sequences=2048
    )
    for plan in plans:
        assert plan_gpus(plan) == gpus
        assert plan_fits(plan)
        assert plan.tensor <= 8
    best = fastest_plan(plans)
    for name in FAMILIES:
        other = fastest_plan(plans, name)
        assert other is None or time_total(plan_time(other)) >= time_total(plan_time(best))


def test_less_than_seventy_six_gpus_cannot_hold_the_state_of_405b() -> None:
    smallest = 16 * total_parameters(llama_3_1_405b) / llama_3_cluster.accelerator.memory
    assert 75 < smallest < 76
    sizes = {
        gpus: feasible_plans(
            model=llama_3_1_405b, cluster=llama_3_cluster, gpus=gpus, tokens=8192, sequences=2048
        )
        for gpus in (8, 16, 32, 64, 128)
    }
    assert [gpus for gpus, plans in sizes.items() if plans] == [128]


def test_what_chapter_4_reads_off_the_figure() -> None:
    """8B: copies alone until each has one sequence; 405B: matrices and layers together."""

    def fastest(model: Model, gpus: int) -> ClusterPlan:
        best = fastest_plan(
            feasible_plans(
                model=model, cluster=llama_3_cluster, gpus=gpus, tokens=8192, sequences=2048
            )
        )
        assert best is not None
        return best

    for gpus in (8, 16, 256, 1024):
        plan = fastest(llama_3_1_8b, gpus)
        assert (plan_family(plan), plan.zero_stage, plan.recompute) == ("data", 2, False)
        assert plan_time(plan).exposed == 0
    assert fastest(llama_3_1_8b, 2048).pipeline == 2
    for gpus in (128, 512, 2048, 16384):
        assert plan_family(fastest(llama_3_1_405b, gpus)) == FAMILIES[3]


def test_logits_count_where_the_head_is() -> None:
    alone = ClusterPlan(model=llama_3_1_8b, cluster=llama_3_cluster, tokens=8192, sequences=16)
    assert plan_memory(alone).logits == 10 * 8192 * 128256
    assert plan_memory(replace(alone, pipeline=2)).logits == 0


def test_recomputation_trades_a_third_more_arithmetic_for_activations() -> None:
    kept, again = llama_3_405b_run, replace(llama_3_405b_run, recompute=True)
    products = plan_time(kept).arithmetic + plan_time(kept).below_peak
    assert plan_time(again).recomputed == pytest.approx(products / 3)
    assert memory_total(plan_memory(again)) < memory_total(plan_memory(kept)) / 3
