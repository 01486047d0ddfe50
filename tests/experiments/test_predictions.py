"""The record holds what the predictions say."""

import pytest

from scripts.experiments.predictions import measure as predictions
from tests.experiments.measuring import CARD, measured
from tests.rendered import published


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return measured(predictions, tmp_path_factory.mktemp("root"))


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
    assert predictions.parameters(preset="quick", device=CARD)["runs"] == 742


def test_a_published_record_is_what_the_code_says(results: dict) -> None:
    for record in published().values():
        if record.experiment == "predictions":
            others = {"others": record.results["others"]}  # those installed where it was made
            assert record.results == results | others
