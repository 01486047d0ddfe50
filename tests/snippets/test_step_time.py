"""Training steps on paper agree with the formulas of the chapters, and with sums done by hand."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.cluster_choice import FAMILIES, fastest_plan, feasible_plans, plan_family
from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run, llama_3_cluster
from snippets.model_parameters import total_parameters
from snippets.models import Model, llama_3_1_8b, llama_3_1_70b, llama_3_1_405b
from snippets.pipeline_schedule import one_forward_one_backward, peak_in_flight
from snippets.stage_memory import fullest_stage, stage_memory
from snippets.step_time import published_step_seconds, step_time, step_traffic
from snippets.training_memory import zero_bytes_per_parameter
from snippets.training_plan import TrainingPlan, in_flight, plan_gpus, plan_sequences


@settings(deadline=None)
@given(pipeline=st.integers(1, 8), rounds=st.integers(1, 6), chunks=st.integers(1, 5))
def test_in_flight_is_what_the_schedule_keeps(pipeline: int, rounds: int, chunks: int) -> None:
    count = pipeline * rounds
    orders = one_forward_one_backward(pipeline, count, chunks)
    for rank, order in enumerate(orders):
        expected = in_flight(rank=rank, pipeline=pipeline, micro_batches=count, chunks=chunks)
        assert peak_in_flight(order) / chunks == pytest.approx(expected)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
@settings(deadline=None)
@given(data=st.sampled_from([1, 2, 4, 64]), tensor=st.sampled_from([1, 8]))
def test_state_is_zeros_formula(stage: int, data: int, tensor: int) -> None:
    """But for the norms, which every GPU of a tensor split holds."""
    plan = TrainingPlan(model=llama_3_1_8b, tokens=8192, tensor=tensor, data=data, zero_stage=stage)
    memory = fullest_stage(plan)
    state = memory.weights + memory.gradients + memory.optimizer
    per_parameter = zero_bytes_per_parameter(stage=stage, copies=data)
    norms = 65 * 4096 * (tensor - 1)
    held = total_parameters(llama_3_1_8b) + norms
    assert state * tensor / held == pytest.approx(per_parameter)


def test_both_layouts_of_llama_3_1_405b_by_hand() -> None:
    for run in (llama_3_405b_run, llama_3_405b_long_run):
        assert plan_gpus(run) == 16384
        assert plan_sequences(run) * run.tokens == 2**24
    memory = fullest_stage(llama_3_405b_run)
    assert memory == stage_memory(llama_3_405b_run, 1)  # the first has a layer less
    width, ffn = 16384, 53248
    layer = 2 * width**2 + 2 * width * 1024 + 3 * width * ffn
    assert memory.weights == 2 * 8 * (layer / 8 + 2 * width)
    # 8 layers x 16 micro-batches x 8,192 tokens x 2 bytes x (4h + 2.125h + 13h) / 8, ffn 3.25h
    assert memory.activations == 8 * 16 * 8192 * 2 * (4 + 2.125 + 13) * width / 8
    traffic = step_traffic(llama_3_405b_run)
    # 4 all-reduces of 8,192 x 16,384 x 2 bytes, 7/4 of them sent, 8 layers, 16 micro-batches
    assert traffic.tensor == 4 * 7 / 4 * 8192 * width * 2 * 8 * 16


def test_where_the_peak_goes_stays_within_the_published_step() -> None:
    for run in (llama_3_405b_run, llama_3_405b_long_run):
        time = step_time(run, run.cluster)
        assert time.arithmetic / published_step_seconds(run) == pytest.approx(run.utilisation)
        assert time.total < published_step_seconds(run)


def test_a_tensor_split_over_the_network_takes_nine_times_as_long() -> None:
    inside = step_time(llama_3_405b_run, llama_3_cluster)
    outside = step_time(llama_3_405b_run, replace(llama_3_cluster, server_gpus=4))
    assert outside.tensor == pytest.approx(9 * inside.tensor)


def plans_of(model: Model, gpus: int) -> list[TrainingPlan]:
    return feasible_plans(
        model=model, cluster=llama_3_cluster, gpus=gpus, tokens=8192, sequences=2048
    )


@pytest.mark.parametrize("model", [llama_3_1_8b, llama_3_1_70b, llama_3_1_405b])
@pytest.mark.parametrize("gpus", [8, 512, 16384])
def test_feasible_plans_use_every_gpu_and_fit(model: Model, gpus: int) -> None:
    plans = plans_of(model, gpus)
    for plan in plans:
        assert plan_gpus(plan) == gpus
        assert plan_sequences(plan) == 2048
        assert fullest_stage(plan).total <= llama_3_cluster.accelerator.usable_memory
        assert plan.tensor <= 8
    best = fastest_plan(plans, llama_3_cluster)
    for name in FAMILIES:
        other = fastest_plan(plans, llama_3_cluster, name)
        assert other is None or best is not None
        if other and best:
            assert step_time(other, llama_3_cluster).total >= step_time(best, llama_3_cluster).total


def test_less_than_seventy_six_gpus_cannot_hold_the_state_of_405b() -> None:
    smallest = 16 * total_parameters(llama_3_1_405b) / llama_3_cluster.accelerator.memory
    assert 75 < smallest < 76
    assert [gpus for gpus in (8, 16, 32, 64, 128) if plans_of(llama_3_1_405b, gpus)] == [128]


def test_what_chapter_4_reads_off_the_figure() -> None:
    """8B: copies alone until each has one sequence; 405B: matrices and layers together."""

    def fastest(model: Model, gpus: int) -> TrainingPlan:
        best = fastest_plan(plans_of(model, gpus), llama_3_cluster)
        assert best is not None
        return best

    for gpus, zero_stage in ((8, 3), (16, 2), (256, 2), (1024, 2)):
        plan = fastest(llama_3_1_8b, gpus)
        assert (plan_family(plan), plan.zero_stage, plan.recompute) == ("data", zero_stage, False)
        assert step_time(plan, llama_3_cluster).exposed == 0
    assert fastest(llama_3_1_8b, 2048).pipeline == 2
    for gpus in (128, 512, 2048, 16384):
        assert plan_family(fastest(llama_3_1_405b, gpus)) == FAMILIES[3]


def test_recomputation_trades_a_third_more_arithmetic_for_activations() -> None:
    kept, again = llama_3_405b_run, replace(llama_3_405b_run, recompute=True)
    time = step_time(kept, llama_3_cluster)
    products = time.arithmetic + time.below_peak
    assert step_time(again, llama_3_cluster).recomputed == pytest.approx(products / 3)
    assert fullest_stage(again).total < fullest_stage(kept).total / 3
