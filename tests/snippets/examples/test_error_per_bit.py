import re
import runpy

import pytest


def test_the_step_predicts_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("snippets.examples.error_per_bit")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"{b} bits" for b in (8, 6, 5, 4, 3, 2)]
    for line in lines:
        predicted, found = map(float, re.findall(r"0\.\d+", line))
        assert found == pytest.approx(predicted, rel=0.06)
