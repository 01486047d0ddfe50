"""The tables of chapter 6 hold what the code says, and every mistake is one."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.experiments.predictions.measure import measure
from scripts.proof.evaluate import Evaluator
from scripts.records.journal import Journal
from scripts.records.record import Record, read_all
from scripts.render import own_measurements, plans, predicted_runs, published_speeds
from scripts.render.mistakes import MISTAKES
from snippets.models import MODELS

ROOT = Path(__file__).parents[2]


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    parts = (plans, predicted_runs, published_speeds, own_measurements)
    return {path: data for part in parts for path, data in part.render(records).items()}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Record]:
    """The published records, and one of predictions as it would be made now."""
    published = read_all(ROOT)
    root = tmp_path_factory.mktemp("root")
    with Journal(experiment="predictions", device="cpu", fingerprint="0" * 16, root=root) as run:
        results = measure(device=None, parameters={}, run=run)  # type: ignore[arg-type]
    any_record = next(iter(published.values()))
    made = replace(any_record, experiment="predictions", results=results)
    others = {key: each for key, each in published.items() if each.experiment != "predictions"}
    return others | {"cpu/predictions": made}


@pytest.fixture(scope="module")
def rendered(records: Mapping[str, Record]) -> dict[str, str]:
    return {path: data.decode() for path, data in render(records).items()}


def test_every_model_has_a_row(rendered: dict[str, str]) -> None:
    rows = [line for line in rendered["tables/models.md"].splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0][2:] for row in rows[2:]] == [m.name for m in MODELS.values()]


def test_tables_define_each_number_once(rendered: dict[str, str]) -> None:
    for path, text in rendered.items():
        if path.endswith(".md"):
            used = re.findall(r"\]\[([^\]]+)\]", text)
            defined = re.findall(r"^\[([^\]]+)\]: #", text, flags=re.MULTILINE)
            assert set(used) == set(defined)
            assert len(defined) == len(set(defined))


def test_predictions_are_shown_once_their_record_is_there(
    records: Mapping[str, Record], rendered: dict[str, str]
) -> None:
    assert "figures/predictions.svg" in rendered
    without = {key: each for key, each in records.items() if each.experiment != "predictions"}
    assert "figures/predictions.svg" not in render(without)
    assert rendered["tables/predictions.md"].count("| `") == 4


def test_same_records_same_bytes(records: Mapping[str, Record]) -> None:
    assert render(records) == render(records)


def test_there_are_twenty_mistakes_and_each_is_one() -> None:
    assert len(MISTAKES) >= 20
    evaluator = Evaluator({}, {})
    for mistake in MISTAKES:
        tempting = evaluator.calc(mistake.tempting)
        right = evaluator.calc(mistake.right)
        assert tempting != pytest.approx(right, rel=4e-3), mistake.asked
