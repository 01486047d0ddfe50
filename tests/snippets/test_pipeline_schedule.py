"""Every schedule does all the work once, and waits as long as its formula says."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.parallelism import pipeline_bubble
from snippets.pipeline_schedule import (
    Task,
    gpipe,
    idle_fraction,
    one_forward_one_backward,
    peak_in_flight,
    play,
    zero_bubble,
)

Schedule = Callable[[int, int], list[list[Task]]]

ranks = st.integers(1, 8)
micro_batches = st.integers(1, 24)
seconds = st.integers(1, 9)


@pytest.mark.parametrize("schedule", [gpipe, one_forward_one_backward, zero_bubble])
@settings(deadline=None)
@given(ranks=ranks, micro_batches=micro_batches)
def test_all_work_is_done_once(schedule: Schedule, ranks: int, micro_batches: int) -> None:
    orders = schedule(ranks, micro_batches)
    done = Counter(task for order in orders for task in order)
    assert set(done.values()) == {1}
    kinds = {task.kind for task in done}
    assert len(done) == len(kinds) * ranks * micro_batches
    assert all(task.stage == rank for rank, order in enumerate(orders) for task in order)


@settings(deadline=None)
@given(ranks=ranks, rounds=st.integers(1, 4), chunks=st.integers(1, 4))
def test_interleaved_ranks_have_every_other_stage(ranks: int, rounds: int, chunks: int) -> None:
    orders = one_forward_one_backward(ranks, ranks * rounds, chunks)
    for rank, order in enumerate(orders):
        assert {task.stage for task in order} == set(range(rank, chunks * ranks, ranks))
        assert len(set(order)) == len(order) == 2 * chunks * ranks * rounds


@pytest.mark.parametrize("schedule", [gpipe, one_forward_one_backward])
@settings(deadline=None)
@given(ranks=ranks, micro_batches=micro_batches, forward=seconds, backward=seconds)
def test_bubble_is_the_formula_whatever_the_passes_take(
    schedule: Schedule, ranks: int, micro_batches: int, forward: int, backward: int
) -> None:
    played = play(schedule(ranks, micro_batches), forward, backward, backward)
    expected = pipeline_bubble(ranks, micro_batches)
    assert idle_fraction(played) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(ranks=ranks, rounds=st.integers(1, 4), chunks=st.integers(1, 4))
def test_interleaving_divides_the_bubble_by_the_chunks(
    ranks: int, rounds: int, chunks: int
) -> None:
    count = ranks * rounds
    played = play(one_forward_one_backward(ranks, count, chunks))
    assert idle_fraction(played) == pytest.approx(pipeline_bubble(ranks, chunks * count), abs=1e-12)


@settings(deadline=None)
@given(ranks=ranks, extra=st.integers(0, 16))
def test_zero_bubble_waits_a_third_as_long_and_keeps_no_more_than_the_first_stage(
    ranks: int, extra: int
) -> None:
    orders = zero_bubble(ranks, ranks + extra)
    played = play(orders)
    waits = ranks * max(task.end for task in played) - sum(t.end - t.start for t in played)
    assert waits == ranks * (ranks - 1)
    assert max(peak_in_flight(order) for order in orders) == ranks


@settings(deadline=None)
@given(ranks=ranks, micro_batches=micro_batches)
def test_1f1b_keeps_as_many_as_stages_follow(ranks: int, micro_batches: int) -> None:
    kept = [peak_in_flight(order) for order in one_forward_one_backward(ranks, micro_batches)]
    assert kept == [min(ranks - rank, micro_batches) for rank in range(ranks)]
    assert {peak_in_flight(order) for order in gpipe(ranks, micro_batches)} == {micro_batches}


@settings(deadline=None)
@given(ranks=ranks)
def test_four_micro_batches_per_stage_leave_less_than_a_fifth_idle(ranks: int) -> None:
    assert idle_fraction(play(gpipe(ranks, 4 * ranks))) < 1 / 5


def test_no_task_starts_before_what_it_needs() -> None:
    played = play(one_forward_one_backward(4, 8, 2), 3, 5, 7)
    ends = {(t.task.kind, t.task.stage, t.task.micro_batch): t.end for t in played}
    free: dict[int, float] = {}
    for timed in played:
        kind, stage = timed.task.kind, timed.task.stage
        before = stage - 1 if kind == "forward" else stage + 1
        assert timed.start >= ends.get((kind, before, timed.task.micro_batch), 0)
        assert timed.start >= free.get(timed.rank, 0)
        free[timed.rank] = timed.end
