"""Published decoding speeds stay under their ceilings, and what is read agrees with the sources."""

import itertools

import pytest

from scripts.exhibits.published_speeds import SPEEDS, ceiling
from tests.rendered import values_of

GB, GiB = 1e9, 2**30
EVALUATE = values_of({}).calc
GPT_FAST, TORCHAO, LLAMA_CPP = (
    [speed for speed in SPEEDS if speed["work"].startswith(work)]
    for work in ("gptfast", "torchao", "gerganov")
)


def share(speed: dict[str, str]) -> float:
    return float(speed["tokens_per_second"]) / EVALUATE(ceiling(speed))


@pytest.mark.parametrize("speed", SPEEDS, ids=lambda speed: speed["tokens_per_second"])
def test_no_speed_is_above_its_ceiling_or_far_below(speed: dict[str, str]) -> None:
    assert 1 / 3 < share(speed) < 0.85


def test_torchao_reads_the_size_that_it_publishes() -> None:
    """Its column "Model Size (GB)": the output head is quantized like every other matrix."""
    published = (13.21, 6.62, 3.74, 15.01, 7.52, 4.22)
    for speed, size in zip(TORCHAO, published, strict=True):
        assert EVALUATE(speed["read"]) / GB == pytest.approx(size, rel=7e-3)


def test_gpt_fast_quantizes_the_head() -> None:
    """Its column of GB/s over that of tokens/s: a 16-bit head would be half a gigabyte more."""
    assert EVALUATE(GPT_FAST[-1]["read"]) == pytest.approx(1030.89e9 / 137.64, rel=3e-3)


def test_a_q4_0_file_is_as_large_as_its_readers_say() -> None:
    """3.56 GiB by llama-bench, with the input embedding that is only looked up."""
    embedding = "quantized_bytes(count_parameters(llama_2_7b).embedding, q4_0.matrix_bits)"
    whole = EVALUATE(f"{LLAMA_CPP[2]['read']} + {embedding}")
    assert whole / GiB == pytest.approx(3.56, abs=5e-3)


def test_share_falls_with_bits_and_with_bandwidth() -> None:
    by_card = [[share(speed) for speed in LLAMA_CPP[at : at + 3]] for at in (0, 3, 6)]
    assert by_card == [sorted(shares, reverse=True) for shares in by_card]
    for slower, faster in itertools.pairwise(by_card):
        assert all(one > other for one, other in zip(slower, faster, strict=True))
