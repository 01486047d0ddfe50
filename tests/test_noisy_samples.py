"""Noisy samples are taken again; the quietest round counts, and the record says so."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from scripts.devices.noisy_samples import SteadySamples, steady_samples
from scripts.records.journal import Journal
from scripts.records.samples import quantity

QUIET = [1.0, 1.01, 1.02, 1.01]
NOISY = [1.0, 2.0, 3.0, 4.0]
NOISIER = [1.0, 4.0, 7.0, 10.0]


def taken(root: Path, samples: Iterable[float], *, count: int = 4) -> SteadySamples:
    values = iter(samples)
    with Journal(experiment="e", device="d", fingerprint="0" * 64, root=root) as run:
        return steady_samples(run, "copy", lambda: next(values), count=count)


def test_a_quiet_round_is_enough(tmp_path: Path) -> None:
    found = taken(tmp_path, QUIET)
    assert found.samples == QUIET
    assert found.rejected == 0
    assert not found.as_record()["too_noisy"]


def test_a_noisy_round_is_taken_again(tmp_path: Path) -> None:
    found = taken(tmp_path, NOISY + QUIET)
    assert found.samples == QUIET
    assert found.as_record()["rejected_rounds"] == 1


def test_the_quietest_of_three_noisy_rounds_is_marked(tmp_path: Path) -> None:
    found = taken(tmp_path, NOISIER + NOISY + NOISIER)
    assert found.samples == NOISY
    assert found.as_record()["too_noisy"]


@pytest.mark.parametrize("jumped", [-3600.0, 0.0])
def test_a_clock_that_jumped_back_rejects_the_round(tmp_path: Path, jumped: float) -> None:
    found = taken(tmp_path, [*QUIET[:3], jumped, *QUIET])
    assert found.samples == QUIET
    assert found.rejected == 1


def test_a_clock_that_jumped_ahead_moves_no_median(tmp_path: Path) -> None:
    found = taken(tmp_path, [*[1.0] * 19, 3600.0], count=20)
    assert found.rejected == 0, "one sample of twenty moves no quartile"
    assert quantity(found.samples)["median"] == 1.0


def test_a_resumed_run_takes_no_finished_round_again(tmp_path: Path) -> None:
    first = taken(tmp_path, NOISY + QUIET)
    assert taken(tmp_path, []) == first
