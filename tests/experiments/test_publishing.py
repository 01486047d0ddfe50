"""A record that is published takes no other's place: not a transcribed one's, and no page's chart."""

from dataclasses import replace
from pathlib import Path

import pytest

from scripts import build, exhibits
from scripts.core.faults import BadInput
from scripts.experiments import part
from scripts.experiments.measurement import local_path, publish, published_elsewhere
from scripts.figures.drawing import Exhibit
from scripts.records.record import RECORDS, Record, read_all, write_record
from tests.experiments.test_plausibility import H100, RECORD
from tests.rendered import published

RTX_3060 = H100 | {"slug": "rtx-3060", "name": "NVIDIA GeForce RTX 3060"}
RTX_3060 |= {"memory_bytes": 12622168064, "cache_bytes": 2359296, "cores": 28}


def measured_here(root: Path, record: Record) -> None:
    path = local_path(root, record.experiment)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_record(path, record)


def publish_before(root: Path, *keys: str) -> None:
    for key in keys:
        path = root / RECORDS / f"{key}.json"
        path.parent.mkdir(parents=True)
        write_record(path, published()[key])


def test_what_is_measured_on_a_card_leaves_what_others_report_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.experiments.plausibility.implausible", lambda record: [])
    reported = "rtx-3060-transcribed/bandwidth"
    publish_before(tmp_path, reported)
    before = (tmp_path / RECORDS / f"{reported}.json").read_bytes()
    measured_here(tmp_path, replace(RECORD, device=RTX_3060))
    publish(tmp_path, "bandwidth")
    assert list(read_all(tmp_path)) == ["rtx-3060/bandwidth", reported]
    assert (tmp_path / RECORDS / f"{reported}.json").read_bytes() == before


def test_every_transcribed_record_says_so_in_its_key() -> None:
    for key, record in published().items():
        folder = key.partition("/")[0]
        transcribed = record.provenance["kind"] == "transcribed"
        assert folder.endswith("-transcribed") == transcribed, key


@pytest.mark.parametrize("slug", ["a100-80gb-sxm", "zzz"])  # before and after those that are there
def test_another_devices_records_change_no_chart(slug: str) -> None:
    """Of a chart of one device. The roofline and the collectives show all devices on purpose."""
    for experiment, module in exhibits.modules("figures"):
        own = [record for record in published().values() if record.experiment == experiment]
        if not own:
            continue
        drawn_of_one = [
            each
            for each in vars(module).values()
            if isinstance(each, Exhibit) and "records" not in each.draw.__annotations__
        ]
        if getattr(part(experiment, "limits"), "SAME_EVERYWHERE", False):
            assert len(own) == 1
            continue
        other = replace(own[0], device=own[0].device | {"slug": slug})
        for each in drawn_of_one:
            assert "{device}" in each.name, each.name
            both = sorted([other, *own], key=lambda record: record.key)
            before = {
                name: data for found in each.figures(own) for name, data in found.files().items()
            }
            after = {
                name: data for found in each.figures(both) for name, data in found.files().items()
            }
            assert before.items() <= after.items()


def test_what_depends_on_no_device_is_published_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish_before(tmp_path, "epyc-2-cores/predictions")
    record = published()["epyc-2-cores/predictions"]
    measured_here(tmp_path, record)
    assert published_elsewhere(tmp_path, "predictions") is None
    measured_here(tmp_path, replace(record, device=RTX_3060))
    arguments = build.argparse.Namespace(only=None)
    assert build._publish(arguments, tmp_path, ["predictions"]) == []
    assert "is published as epyc-2-cores/predictions" in capsys.readouterr().out
    assert list(read_all(tmp_path)) == ["epyc-2-cores/predictions"]


def test_a_record_that_is_refused_keeps_no_other_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(root: Path, name: str) -> Path:
        if name == "bandwidth":
            raise BadInput("bandwidth.json", 0, "too fast", "measure again")
        return root / name

    for name in ("bandwidth", "staircase"):
        measured_here(tmp_path, replace(RECORD, experiment=name))
    monkeypatch.setattr(build.measure, "publish", refused)
    arguments = build.argparse.Namespace(only=None)
    (fault,) = build._publish(arguments, tmp_path, ["bandwidth", "staircase"])
    assert fault.message == "too fast"
    assert "published staircase" in capsys.readouterr().out
