"""Other calculators are asked where they are installed, over the runs that they can describe."""

import sys
from types import ModuleType

import pytest

from scripts.predictions import other_calculators
from scripts.predictions.published_runs import Run, read_runs

RUN = Run("1.34B", 2, 1, 1, 16, 16, 1, 1, 1, 24.0)


def test_each_describes_some_runs() -> None:
    runs = read_runs()
    described = [sum(map(each.describes, runs)) for each in other_calculators.CALCULATORS]
    assert described[0] > 600
    assert all(count >= 5 for count in described)


def test_deepspeed_is_asked_for_what_a_run_has(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def estimate(parameters: int, **settings: object) -> tuple[int, int]:
        asked.update(settings, parameters=parameters)
        return 0, 7

    fake = ModuleType("fake")
    fake.estimate_zero2_model_states_mem_needs = estimate  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "deepspeed", ModuleType("deepspeed"))
    monkeypatch.setitem(sys.modules, "deepspeed.runtime", ModuleType("runtime"))
    monkeypatch.setitem(sys.modules, "deepspeed.runtime.zero", ModuleType("zero"))
    monkeypatch.setitem(sys.modules, "deepspeed.runtime.zero.stage_1_and_2", fake)
    assert other_calculators.deepspeed(RUN) == 7
    assert asked["num_gpus_per_node"] == 8
    assert asked["num_nodes"] == 2
    assert asked["parameters"] == pytest.approx(1.34e9, rel=3e-3)


def test_what_is_not_installed_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = other_calculators.Calculator(
        "sixteen per parameter",
        "rich",
        other_calculators.copies_alone,
        lambda run: 16 * 1.34e9,
        "activations",
    )
    absent = other_calculators.Calculator(
        "none", "not_there", other_calculators.copies_alone, lambda run: 1.0, "all"
    )
    monkeypatch.setattr(other_calculators, "CALCULATORS", (ours, absent))
    other_calculators.show(read_runs())
    out = capsys.readouterr().out
    assert "not installed: not_there" in out
    assert "sixteen per parameter" in out
