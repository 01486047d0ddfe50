import runpy

import pytest


def test_counts_are_those_of_the_standard(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("snippets.examples.every_half")
    lines = capsys.readouterr().out.splitlines()
    # Two signs of 31 exponents of 1,024 mantissas are finite; 15 exponents lie below one.
    assert lines[0] == f"65,536 patterns, {2 * 31 * 1024:,} finite"
    assert lines[1] == f"largest 65504, smallest {2**-24:.3g}"
    assert [line.split(": ")[1] for line in lines[2:5]] == ["1,024 numbers"] * 3
    assert lines[5] == f"below 1: {(15 * 1024 - 1) / (31 * 1024 - 1):.0%} of the positive ones"
