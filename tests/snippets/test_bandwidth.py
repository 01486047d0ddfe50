"""Ceilings, balance points and traffic against values worked by hand and published figures."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.bandwidth import (
    arithmetic_intensity,
    attainable_operations,
    balance_point,
    balanced_vectors,
    batched_decode_ceiling,
    compute_bound_vectors,
    copy_bytes,
    decode_ceiling,
    product_bytes,
    product_intensity,
    product_operations,
    roofline_seconds,
)

H100_PEAK, H100_BANDWIDTH = 989e12, 3.35e12
positive = st.floats(1e-3, 1e15)
sizes = st.integers(1, 4096)


def test_published_decoding_stays_under_its_ceiling() -> None:
    # gpt-fast, A100 80 GB, batch 1: Llama-2-7B in bf16 at 104.9 tokens/s.
    ceiling = decode_ceiling(2.039e12, 6.738e9 * 2)
    assert 0.6 < 104.9 / ceiling < 1


@given(peak=positive, bandwidth=positive)
def test_the_roofline_bends_at_the_balance_point(peak: float, bandwidth: float) -> None:
    def attainable(intensity: float) -> float:
        return attainable_operations(
            intensity=intensity, peak_operations=peak, memory_bandwidth=bandwidth
        )

    balance = balance_point(peak, bandwidth)
    assert attainable(balance) == pytest.approx(peak)
    assert attainable(balance / 2) == pytest.approx(peak / 2)
    assert attainable(balance * 2) == peak
    assert attainable(0) == 0


@given(rows=sizes, columns=sizes, vectors=sizes, bytes_each=st.sampled_from([0.5, 1, 2, 4]))
def test_roofline_seconds_are_operations_over_what_is_attainable(
    rows: int, columns: int, vectors: int, bytes_each: float
) -> None:
    operations = product_operations(rows=rows, columns=columns, vectors=vectors)
    moved = product_bytes(rows=rows, columns=columns, vectors=vectors, bytes_per_element=bytes_each)
    seconds = roofline_seconds(
        operations=operations,
        bytes_moved=moved,
        peak_operations=H100_PEAK,
        memory_bandwidth=H100_BANDWIDTH,
    )
    attainable = attainable_operations(
        intensity=arithmetic_intensity(operations, moved),
        peak_operations=H100_PEAK,
        memory_bandwidth=H100_BANDWIDTH,
    )
    assert seconds == pytest.approx(operations / attainable)


@given(rows=st.integers(1, 8), columns=st.integers(1, 8), vectors=st.integers(1, 8))
def test_a_product_counted_multiply_by_multiply(rows: int, columns: int, vectors: int) -> None:
    operations = 0
    for _ in range(rows * vectors):
        for _ in range(columns):
            operations += 1  # multiply
            operations += 1  # add to the running sum
    assert product_operations(rows=rows, columns=columns, vectors=vectors) == operations
    matrix, batch = np.zeros((rows, columns), np.float16), np.zeros((columns, vectors), np.float16)
    moved = matrix.nbytes + batch.nbytes + (matrix @ batch).nbytes
    counted = product_bytes(rows=rows, columns=columns, vectors=vectors, bytes_per_element=2)
    assert counted == moved


def test_one_vector_does_two_operations_per_parameter() -> None:
    assert product_operations(rows=16384, columns=16384, vectors=1) == 2 * 16384**2
    intensity = product_intensity(rows=16384, columns=16384, vectors=1, bytes_per_element=2)
    assert intensity == pytest.approx(1, rel=2e-4)


def test_the_recorded_products_of_an_rtx_3060() -> None:
    one = product_bytes(rows=16384, columns=16384, vectors=1, bytes_per_element=2)
    assert one / 1.57e-3 == pytest.approx(341e9, rel=5e-3)
    operations = product_operations(rows=16384, columns=16384, vectors=1)
    assert operations / 1.57e-3 == pytest.approx(0.34e12, rel=1e-2)
    assert round(27.7e12 / (operations / 1.57e-3)) == 81
    assert copy_bytes(2**30) == 2 * 2**30


@given(
    rows=st.integers(64, 65536),
    columns=st.integers(64, 65536),
    bytes_each=st.sampled_from([0.5, 1, 2, 4]),
    balance=st.floats(1, 500),
)
def test_a_product_turns_compute_bound_where_its_intensity_is_the_balance(
    rows: int, columns: int, bytes_each: float, balance: float
) -> None:
    vectors = compute_bound_vectors(
        rows=rows, columns=columns, bytes_per_element=bytes_each, balance=balance
    )
    shape = {"rows": rows, "columns": columns, "bytes_per_element": bytes_each}
    if math.isinf(vectors):
        assert product_intensity(**shape, vectors=1e15) <= balance * (1 + 1e-9)
    else:
        assert product_intensity(**shape, vectors=vectors) == pytest.approx(balance, rel=1e-6)
        assert vectors > balanced_vectors(balance, bytes_each)


def test_a_huge_matrix_turns_compute_bound_at_the_simple_count() -> None:
    balance = balance_point(H100_PEAK, H100_BANDWIDTH)
    exact = compute_bound_vectors(rows=1e9, columns=1e9, bytes_per_element=2, balance=balance)
    assert exact == pytest.approx(balanced_vectors(balance, 2))
    assert round(balanced_vectors(balance, 2)) == 295


@given(weights=st.floats(1e6, 1e12), cache=st.floats(0, 1e10), sequences=st.integers(1, 10_000))
def test_a_batch_writes_more_than_one_and_less_than_its_caches_allow(
    weights: float, cache: float, sequences: int
) -> None:
    total = batched_decode_ceiling(
        memory_bandwidth=H100_BANDWIDTH,
        weight_bytes=weights,
        cache_bytes=cache,
        sequences=sequences,
    )
    one = decode_ceiling(H100_BANDWIDTH, weights + cache)
    assert one * (1 - 1e-9) <= total <= sequences * one * (1 + 1e-9)
    assert total * cache <= H100_BANDWIDTH
