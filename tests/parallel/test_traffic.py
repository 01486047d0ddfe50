"""Each collective is counted once with its bytes, and formulas are those of the chapters."""

from fractions import Fraction

import pytest

from scripts.parallel.launch import launch
from scripts.parallel.traffic import GLOO_HEADER_BYTES, Transfer
from snippets.parallelism import all_reduce_bytes
from tests.parallel import talking


@pytest.mark.parametrize("ranks", [1, 2, 4, 7])
def test_what_a_rank_sends(ranks: int) -> None:
    def sent(kind: str) -> float:
        return Transfer(kind, bytes=28 * ranks, ranks=ranks, group="", phase="").bytes_sent

    assert sent("all_reduce") == pytest.approx(all_reduce_bytes(28 * ranks, ranks))
    assert sent("reduce_scatter") + sent("all_gather") == pytest.approx(sent("all_reduce"))
    assert sent("all_gather") == pytest.approx(float(Fraction(ranks - 1, ranks) * 28 * ranks))
    assert sent("send") == 28 * ranks


def test_every_collective_is_seen_and_the_wire_carries_it() -> None:
    found = launch(talking.every_collective, devices=["cpu"] * 2, arguments={"elements": 64})
    for rank in found:
        for kind, result in rank.items():
            assert result["totals"][kind]["count"] == 1
            assert result["totals"][kind]["bytes"] == 64 * 4
    for kind in found[0]:
        wire = sum(rank[kind]["wire_bytes"] for rank in found)
        told = sum(rank[kind]["totals"][kind]["gloo_bytes_sent"] for rank in found)
        assert wire > told
        assert (wire - told) % GLOO_HEADER_BYTES == 0
