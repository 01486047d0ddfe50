import runpy

import numpy as np
import pytest


def test_the_scale_brings_the_largest_weight_to_the_last_level(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = runpy.run_module("snippets.examples.integer_scale")
    assert names["scale"] == pytest.approx(0.005)
    assert names["levels"].tolist() == [4, -3, 1, -7]
    errors = np.abs(names["levels"] * names["scale"] - names["weights"])
    assert errors.max() <= names["scale"] / 2
    assert "rounded:   [0 0 0 0]" in capsys.readouterr().out
