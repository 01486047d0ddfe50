"""The record holds what the predictions say."""

from pathlib import Path

import pytest

from scripts.experiments.predictions.measure import measure, parameters
from scripts.records.journal import Journal
from scripts.records.record import read_all

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict:
    root = tmp_path_factory.mktemp("root")
    with Journal(experiment="predictions", device="cpu", fingerprint="0" * 16, root=root) as run:
        return measure(device=None, parameters={}, run=run)  # type: ignore[arg-type]


def test_errors_are_of_all_runs_but_the_contradictory(results: dict) -> None:
    assert results["runs"] == 742
    assert results["errors"]["all"]["runs"] == 742 - results["contradictory_runs"]
    assert results["errors"]["all"]["median_error"] < 0.06
    assert results["errors"]["all"]["ninetieth_percentile_error"] < 0.15
    by_model = [results["errors"][f"model_{index}"]["runs"] for index in range(4)]
    assert sum(by_model) == results["errors"]["all"]["runs"]


def test_every_run_has_its_two_figures(results: dict) -> None:
    count = results["errors"]["all"]["runs"]
    for name in ("reported_bytes", "predicted_bytes", "model_of_run"):
        assert len(results[name]) == count
    assert len(results["worst"]) == 10


def test_parameters_change_with_the_runs() -> None:
    assert parameters(preset="quick", device=None)["runs"] == 742  # type: ignore[arg-type]


def test_a_published_record_is_what_the_code_says(results: dict) -> None:
    for record in read_all(ROOT).values():
        if record.experiment == "predictions":
            others = {"others": record.results["others"]}  # those installed where it was made
            assert record.results == results | others
