import runpy

import pytest


def test_only_the_integers_fit(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("snippets.examples.card_fit")
    assert capsys.readouterr().out.splitlines() == [
        "8,030,261,248 parameters",  # the tensors of the published checkpoint
        "BF16: 16.1 GB, leaves -3.2 GB",
        "INT8: 8.0 GB, leaves +4.9 GB",
        "INT4: 4.0 GB, leaves +8.9 GB",
    ]
