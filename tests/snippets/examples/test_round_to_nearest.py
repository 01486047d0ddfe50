import runpy

import pytest


def test_the_rule_written_out_is_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("snippets.examples.round_to_nearest")
    levels, moved, same = capsys.readouterr().out.splitlines()
    assert levels == "integers from -7 to 4"
    assert 0.35 < float(moved.split()[2]) <= 0.5
    assert same == "as in snippets.quantization: True"
