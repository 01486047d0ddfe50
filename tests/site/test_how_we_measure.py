"""What the page about methods says in words is what the code does."""

from pathlib import Path

from scripts.experiments.bandwidth import measure as bandwidth
from scripts.records.samples import FEWEST_SAMPLES
from snippets.bandwidth import copy_bytes

PAGE = (Path(__file__).parents[2] / "docs/reference/how-we-measure.md").read_text("utf-8")


def test_the_samples():
    assert FEWEST_SAMPLES == 20
    assert "At least twenty samples" in PAGE


def test_the_bytes_of_a_copy():
    assert copy_bytes(7) == 14
    assert "twice the buffer is moved" in PAGE


def test_the_buffers_exceed_the_cache():
    assert bandwidth.CACHES > 1
    assert "Buffers exceed the last-level cache" in PAGE
