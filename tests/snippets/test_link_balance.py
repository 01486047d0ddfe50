"""Thresholds of communication: at each, the bytes on the links and the operations take equally long."""

import pytest

from snippets import link_balance as thresholds
from snippets.parallelism import all_reduce_bytes, tensor_parallel_bytes

PEAK, LINK = 1e15, 5e11
BALANCE = PEAK / LINK


def test_gradients_of_a_long_ring_take_as_long_as_the_backward_pass() -> None:
    parameters, tokens = 7e9, thresholds.data_tokens(BALANCE)
    sending = all_reduce_bytes(2 * parameters, ranks=10**6) / LINK
    assert sending == pytest.approx(4 * parameters * tokens / PEAK, rel=1e-5)


def test_a_layers_sums_take_as_long_as_its_products_in_the_forward_pass() -> None:
    width, tokens = 8192, 4096
    ranks = round(thresholds.tensor_ranks(width, 3 * width / 7))
    assert ranks == 8
    sent = tensor_parallel_bytes(
        tokens=tokens, sequences=1, width=width, bytes_per_element=2, ranks=ranks
    )
    forward = sent / 2 / (PEAK / (3 * width / 7))
    assert forward == pytest.approx(24 * width**2 * tokens / ranks / PEAK)


def test_a_stages_work_takes_as_long_as_handing_it_on() -> None:
    width = thresholds.pipeline_width(BALANCE)
    assert 2 * width / LINK == pytest.approx(24 * width**2 / PEAK)


def test_an_experts_products_take_as_long_as_the_way_of_its_tokens() -> None:
    width, inner = 4096, thresholds.expert_width(BALANCE)
    assert 4 * width / LINK == pytest.approx(6 * width * inner / PEAK)


def test_attention_with_a_ranks_keys_takes_as_long_as_handing_them_on() -> None:
    heads, kv_heads, dim = 32, 8, 128
    tokens = thresholds.context_tokens(BALANCE, kv_heads / heads)
    sending = 2 * 2 * kv_heads * dim * tokens / LINK
    assert sending == pytest.approx(4 * heads * dim * tokens**2 / PEAK)
