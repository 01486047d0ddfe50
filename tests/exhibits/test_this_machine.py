"""This machine's records beside the published ones."""

from dataclasses import replace

import pytest

from scripts import exhibits, experiments
from scripts.exhibits import this_machine
from scripts.records.record import Record
from tests.rendered import published, values_of


def page(*local: Record) -> str:
    mine = {record.experiment: record for record in local}
    return this_machine.render(mine, published())[this_machine.PAGE].decode()


def test_it_says_when_there_is_nothing_yet() -> None:
    assert "Nothing has been measured on this machine yet" in page()


@pytest.mark.parametrize("experiment", experiments.names())
def test_some_results_of_every_experiment_are_shown(experiment: str) -> None:
    record = next(one for one in published().values() if one.experiment == experiment)
    rows = [line for line in page(record).splitlines() if line.startswith("| `")]
    assert rows
    if hasattr(experiments.part(experiment, "limits"), "SHOWN"):
        assert len(rows) <= 45


def test_results_stand_beside_the_published_ones() -> None:
    made = page(published()["rtx-3060-transcribed/bandwidth"])
    assert "## bandwidth" in made
    assert "`rtx-3060-transcribed`" in made.splitlines()[4]
    assert "| `copy.bytes_per_second` | 333 GB/s | " in made
    assert "][" not in made


def test_of_several_ranks_each_shows_what_one_would() -> None:
    record = published()["rtx-3060-transcribed/bandwidth"]
    results = {"ranks": {"0": record.results}, "all_reduce": {"bytes_sent_per_second": 1e9}}
    made = page(replace(record, experiment="bandwidth-ranks", results=results))
    assert "| `ranks.0.copy.bytes_per_second` | 333 GB/s |" in made
    assert "| `all_reduce.bytes_sent_per_second` | 1 GB/s |" in made
    assert "matrix.rows" not in made


def test_tables_of_measurements_have_this_machine_s_rows() -> None:
    record = published()["epyc-2-cores/decoding"]
    made = exhibits.local_tables(values_of({record.key: record}), lambda origin: {})
    assert set(made) == {"tables/local/decoding.json", "tables/local/decoding-between.json"}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("copy.bytes_per_second", 333e9, "333 GB/s"),
        ("x.operations_per_second", 0.34e12, "340 GFLOP/s"),
        ("x.operations_per_second", 27.7e12, "27.7 TFLOP/s"),
        ("seconds", 1.57e-3, "1.57 ms"),
        ("step.seconds", 12.5, "12.5 s"),
        ("fast.seconds", 2e-9, "0.002 µs"),
        ("peak_bytes", 1234e9, "1,234 GB"),
        ("ratio", 0.949, "0.949"),
        ("kernel", "mv", "mv"),
        ("fits", True, "True"),
    ],
)
def test_values_are_shown_in_the_unit_of_their_name(
    name: str, value: object, expected: str
) -> None:
    assert this_machine.shown(name, value) == expected
