import runpy

import pytest


def test_the_parts_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("snippets.examples.split_mlp")
    assert capsys.readouterr().out.splitlines()[-1] == "their sum is the whole result: True"
