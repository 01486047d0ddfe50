"""What the plans of chapter 6 print."""

import runpy

import pytest


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("fit_by_format", ["BF16: 14.96 GiB", "-4.85 left", "INT4, groups of 32: 5.61 GiB"]),
        ("served_conversations", ["48 at once: 5.0 GiB", "65.8 in all: fits", "does not fit"]),
        ("training_fit", ["ZeRO-1: activations 41.0 GiB", "ZeRO-3: activations 41.0 GiB"]),
    ],
)
def test_plans(name: str, lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module(f"snippets.examples.{name}", run_name="__main__")
    printed = capsys.readouterr().out
    assert all(line in printed for line in lines)
