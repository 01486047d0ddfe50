"""torch's schedules run the tasks that are simulated, in that order, and equal one process."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from scripts.experiments.parallelism_pipeline import measure as parallelism_pipeline
from snippets.pipeline_schedule import Task, gpipe, one_forward_one_backward, zero_bubble
from tests.parallel.measuring import TOLERANCE, check_wire, measured

RANKS, MICRO_BATCHES = 2, 4
SCHEDULES: dict[str, Callable[[int, int], list[list[Task]]]] = {
    "gpipe": gpipe,
    "one_forward_one_backward": one_forward_one_backward,
    "interleaved": lambda ranks, count: one_forward_one_backward(ranks, count, 2),
    "zero_bubble": zero_bubble,
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    runs = [
        {"schedule": schedule, "micro_batches": MICRO_BATCHES, "forward_seconds": 0.001}
        for schedule in SCHEDULES
    ]
    return measured(
        parallelism_pipeline,
        tmp_path_factory.mktemp("run"),
        shape={"layers": 4, "hidden_size": 32, "heads": 4, "vocabulary": 32},
        repeats=2,
        runs={str(RANKS): runs},
    )


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_schedule_equals_one_process(results: dict[str, Any], schedule: str) -> None:
    found = results["ranks_2"][schedule]["micro_batches_4"]
    assert found["gradient_difference"] < TOLERANCE
    check_wire(found, ranks=RANKS)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_ranks_run_what_is_simulated(results: dict[str, Any], schedule: str) -> None:
    timeline = results["ranks_2"][schedule]["micro_batches_4"]["timeline"]
    ran = [[Task(*task[:3]) for task in rank] for rank in timeline]
    assert ran == SCHEDULES[schedule](RANKS, MICRO_BATCHES)
    for rank in timeline:
        for before, after in pairwise(rank):
            assert before[3] <= before[4] <= after[3]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_boundary_is_crossed_by_each_micro_batch_both_ways(
    results: dict[str, Any], schedule: str
) -> None:
    found = results["ranks_2"][schedule]["micro_batches_4"]
    boundaries = RANKS * (2 if schedule == "interleaved" else 1) - 1
    assert found["sends"] == 2 * boundaries * MICRO_BATCHES
    assert found["sent_bytes"] == found["sends"] * 32 * 32 * 4


def test_idle_time_is_what_is_left_of_the_step(results: dict[str, Any]) -> None:
    found = results["ranks_2"]["gpipe"]["micro_batches_4"]
    assert 0 < found["idle_fraction"]["median"] < 1
    assert found["step_seconds"]["count"] == found["idle_fraction"]["count"] == 2
    assert min(found["task_seconds"]["backward"]["samples"]) >= 0.002
