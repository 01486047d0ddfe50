"""Published decoding speeds stay under their ceilings, and what is read agrees with the sources."""

import itertools

import pytest

import snippets
from scripts.exhibits.published_speeds import (
    GPT_FAST,
    LLAMA_CPP,
    PUBLISHED,
    Q4_0_FILE,
    TORCHAO,
    Speed,
)
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from tests.rendered import words_of

GB, GiB = 1e9, 2**30
EVALUATE = Evaluator(names_of(snippets), {}, {}).calc


def share(speed: Speed) -> float:
    ceiling = f"decode_ceiling({speed.card}.memory_bandwidth, {speed.read})"
    return speed.tokens_per_second / EVALUATE(ceiling)


@pytest.mark.parametrize("speed", [*GPT_FAST, *TORCHAO, *LLAMA_CPP])
def test_no_speed_is_above_its_ceiling_or_far_below(speed: Speed) -> None:
    assert 1 / 3 < share(speed) < 0.85


@pytest.mark.parametrize(
    ("speed", "published"),
    list(zip(TORCHAO, (13.21, 6.62, 3.74, 15.01, 7.52, 4.22), strict=True)),
)
def test_torchao_reads_the_size_that_it_publishes(speed: Speed, published: float) -> None:
    """Its column "Model Size (GB)": the output head is quantized like every other matrix."""
    assert EVALUATE(speed.read) / GB == pytest.approx(published, rel=7e-3)


def test_gpt_fast_quantizes_the_head() -> None:
    """Its column of GB/s over that of tokens/s: a 16-bit head would be half a gigabyte more."""
    int8 = GPT_FAST[-1]
    assert EVALUATE(int8.read) == pytest.approx(1030.89e9 / 137.64, rel=3e-3)


def test_a_q4_0_file_is_as_large_as_its_readers_say() -> None:
    """3.56 GiB by llama-bench, with the input embedding that is only looked up."""
    embedding = "quantized_bytes(count_parameters(llama_2_7b).embedding, q4_0.matrix_bits)"
    assert EVALUATE(f"{Q4_0_FILE} + {embedding}") / GiB == pytest.approx(3.56, abs=5e-3)


def test_share_falls_with_bits_and_with_bandwidth() -> None:
    by_card = [[share(speed) for speed in LLAMA_CPP[at : at + 3]] for at in (0, 3, 6)]
    assert by_card == [sorted(shares, reverse=True) for shares in by_card]
    for slower, faster in itertools.pairwise(by_card):
        assert all(one > other for one, other in zip(slower, faster, strict=True))


def test_each_speed_has_a_row() -> None:
    rows = [row for name in PUBLISHED for row in words_of(name, {})]
    assert len(rows) == len(GPT_FAST) + len(TORCHAO) + len(LLAMA_CPP)
