"""Splits, traffic and schedules against simulations and published runs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.formats import BF16, FP8_E4M3
from snippets.hardware import h100_sxm
from snippets.number_formats import weight_bytes
from snippets.parallelism import (
    all_reduce_bytes,
    all_reduce_seconds,
    fits,
    gpus,
    micro_batches_for_bubble,
    pipeline_bubble,
    tensor_parallel_bytes,
    training_operations,
)


def test_the_gpus_of_llama_3_1_405b() -> None:
    assert gpus(tensor=8, pipeline=16, data=128) == 16_384
    assert gpus(tensor=8, context=16, pipeline=16, data=8) == 16_384


def ring_all_reduce(buffers: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Sum `buffers` (ranks, elements) round a ring; the sums and the elements each rank sent."""
    ranks = len(buffers)
    chunks = buffers.reshape(ranks, ranks, -1).copy()
    sent = [0] * ranks
    for adding in (True, False):
        for step in range(ranks - 1):
            offset = 0 if adding else 1
            moving = [
                (rank, (rank + offset - step) % ranks, chunks[rank, (rank + offset - step) % ranks])
                for rank in range(ranks)
            ]
            moving = [(rank, chunk, data.copy()) for rank, chunk, data in moving]
            for rank, chunk, data in moving:
                target = (rank + 1) % ranks
                chunks[target, chunk] = chunks[target, chunk] + data if adding else data
                sent[rank] += data.size
    return chunks.reshape(ranks, -1), sent


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_a_ring_sums_and_sends_what_the_formula_says(ranks: int) -> None:
    buffers = np.random.default_rng(0).integers(0, 9, (ranks, 24))
    sums, sent = ring_all_reduce(buffers)
    assert (sums == buffers.sum(axis=0)).all()
    assert set(sent) == {all_reduce_bytes(24, ranks)}


@given(buffer=st.floats(1, 1e12), ranks=st.integers(1, 10_000))
def test_an_all_reduce_sends_less_than_twice_the_buffer(buffer: float, ranks: int) -> None:
    assert 0 <= all_reduce_bytes(buffer, ranks) < 2 * buffer


def test_gradients_of_8b_over_nvlink() -> None:
    seconds = all_reduce_seconds(buffer_bytes=16e9, ranks=8, link_bandwidth=450e9)
    assert seconds == pytest.approx(2 * 7 / 8 * 16e9 / 450e9)
    assert h100_sxm.link_bandwidth == 450e9


def test_tensor_parallel_traffic_is_four_all_reduces_of_the_hidden_states() -> None:
    hidden = np.zeros((4, 100, 64), np.float16).nbytes
    found = tensor_parallel_bytes(
        tokens=100, sequences=4, width=64, bytes_per_element=BF16.bytes, ranks=8
    )
    assert found == 4 * all_reduce_bytes(hidden, 8)


def test_four_times_as_many_micro_batches_as_stages_leave_a_fifth_at_most() -> None:
    bubbles = [pipeline_bubble(stages, 4 * stages) for stages in range(1, 200)]
    assert bubbles == sorted(bubbles)
    assert bubbles[-1] < 1 / 5


@given(stages=st.integers(1, 64), bubble=st.floats(0.01, 0.99))
def test_the_fewest_micro_batches_for_a_bubble(stages: int, bubble: float) -> None:
    fewest = micro_batches_for_bubble(stages, bubble)
    assert pipeline_bubble(stages, fewest) <= bubble * (1 + 1e-9)
    assert fewest == 1 or pipeline_bubble(stages, fewest - 1) > bubble * (1 - 1e-9)


def test_the_fewest_micro_batches_are_exact_where_the_bubble_is_met_exactly() -> None:
    for stages in range(1, 65):
        for percent in range(1, 100):
            share = Fraction(percent, 100)
            fewest = max(math.ceil((stages - 1) * (1 - share) / share), 1)
            assert micro_batches_for_bubble(stages, percent / 100) == fewest


def test_405b_in_bf16_needs_two_servers_and_in_fp8_one() -> None:
    def fit(bytes_each: float, count: int) -> bool:
        return fits(
            needed_bytes=weight_bytes(405e9, bytes_each),
            gpus=count,
            memory_per_gpu=h100_sxm.memory,
        )

    assert not fit(BF16.bytes, 8)
    assert fit(BF16.bytes, 16)
    assert fit(FP8_E4M3.bytes, 8)


def test_training_operations_are_six_per_parameter_and_token() -> None:
    # Llama 3.1 405B on 15.6e12 tokens: 3.8e25 operations (Llama Team 2024, section 1).
    assert training_operations(405e9, 15.6e12) == pytest.approx(3.8e25, rel=0.01)
