"""Before an experiment its minutes are said, and while it runs how far it is: on a terminal or into a log."""

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from scripts import build
from scripts.devices.device import Device
from scripts.experiments import measurement
from scripts.records import journal
from scripts.records.journal import Journal
from tests.experiments.measuring import CARD, SERVER, GiB

H100 = replace(CARD, slug="h100-sxm", memory_bytes=79 * GiB, cache_bytes=50 * 2**20)
B200 = replace(CARD, slug="b200-sxm", memory_bytes=178 * GiB, cache_bytes=126 * 2**20)
UNKNOWN = replace(CARD, slug="rtx-4060-laptop", memory_bytes=8 * GiB, cache_bytes=32 * 2**20)


def minutes(device: Device) -> float:
    found = (
        measurement.expected_seconds(name, device=device, preset="full")
        for name in measurement.experiments()
    )
    return sum(seconds for seconds in found if seconds is not None) / 60


@pytest.mark.parametrize(("card", "most"), [(H100, 15), (B200, 15), (CARD, 60), (UNKNOWN, 60)])
def test_what_a_card_times_is_done_in_good_time(card: Device, most: float) -> None:
    assert 0 < minutes(card) < most


def test_a_slower_card_takes_longer() -> None:
    for name in ("bandwidth", "quantization-speed"):
        fast, slow = (
            measurement.expected_seconds(name, device=card, preset="full")
            for card in (replace(CARD, slug="h100-sxm"), CARD)
        )
        assert fast is not None
        assert slow is not None
        assert fast < slow


def test_the_minutes_are_said_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measurement, "measure", lambda *_, **__: (None, "measured"))
    arguments = argparse.Namespace(preset="full", force=False)
    build._measure(arguments, tmp_path, SERVER, ["bandwidth", "predictions"])
    said = capsys.readouterr().out
    assert "measure bandwidth, about 38 min if not yet done …" in said
    assert "measure predictions …" in said, "what no device's speed decides"


def test_lines_say_how_far_it_is_where_no_terminal_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 1000, 15))
    monkeypatch.setattr(journal.time, "monotonic", lambda: next(clock))
    with Journal(experiment="copy", device="card", fingerprint="0" * 16, root=tmp_path) as run:
        run.progress(total=6)
        run.samples("large", lambda: 1.0, count=6)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"    {done} of copy on card: large" for done in ("17%", "50%", "83%")]
