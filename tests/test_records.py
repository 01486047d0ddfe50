"""Records: what is written is read back, and nothing else is accepted."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.core.faults import BadInput
from scripts.records import record as records
from scripts.records.record import Record, fields, lookup, read_record, write_record
from scripts.records.samples import quantity

DEVICE = {
    "slug": "test-card",
    "name": "Test Card",
    "kind": "cuda",
    "memory_bytes": 2**30,
    "cache_bytes": None,
    "cores": 3,
    "dtypes": ["fp32", "fp16"],
    "driver": "1.2",
    "clocks": {"sm_hertz": 1.5e9},
}

RECORD = Record(
    experiment="copying",
    parameters={"bytes": 2**20, "dtypes": ["fp32"]},
    device=DEVICE,
    software={"python": "3.11", "torch": "2.13.0", "cuda": None, "commit": None},
    when="2026-11-29T20:00:00Z",
    provenance={"kind": "measured", "command": "scripts/build.py --only copying"},
    fingerprint="0" * 64,
    results={
        "copy": {"seconds": quantity([0.25, 0.5, 0.125, 1.0]), "bytes_per_second": 8.5e6},
        "kernel": "mv",
        "terms": [{"bytes": 3}, {"bytes": 4}],
    },
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "docs/data/records/test-card/copying.json"
    write_record(file, RECORD)
    return file


def test_what_is_written_is_read_back(path: Path) -> None:
    assert read_record(path) == RECORD
    text = path.read_text()
    write_record(path, read_record(path))
    assert path.read_text() == text


def test_quantity_summarises_its_samples() -> None:
    assert quantity([4.0, 1.0, 2.0, 3.0, 5.0]) == {
        "samples": [4.0, 1.0, 2.0, 3.0, 5.0],
        "median": 3.0,
        "lower_quartile": 2.0,
        "upper_quartile": 4.0,
        "count": 5,
    }
    assert quantity([7.0])["lower_quartile"] == quantity([7.0])["upper_quartile"] == 7.0


def test_every_changed_character_is_noticed(path: Path) -> None:
    text = path.read_text()
    for at, character in enumerate(text):
        changed = "7" if character != "7" else "8"
        path.write_text(text[:at] + changed + text[at + 1 :])
        with pytest.raises(BadInput):
            read_record(path)


def test_every_truncation_is_noticed(path: Path) -> None:
    data = path.read_bytes()
    for length in range(0, len(data) - 2, 7):
        path.write_bytes(data[:length])
        with pytest.raises(BadInput) as caught:
            read_record(path)
        assert "cut short" in caught.value.fault.message
        assert "scripts/build.py --force --only copying" in caught.value.fault.remedy


def changed(path: Path, *, digest: bool, **change: Any) -> BadInput:
    """What reading says of a record in which top-level fields were changed."""
    document = {**json.loads(path.read_text()), **change}
    if digest:
        document["digest"] = records._digest({k: v for k, v in document.items() if k != "digest"})
    path.write_text(records.dumps(document) + "\n")
    with pytest.raises(BadInput) as caught:
        read_record(path)
    return caught.value


def test_another_schema_version(path: Path) -> None:
    fault = changed(path, digest=True, schema_version=2).fault
    assert fault.line == 2
    assert "schema version 2, but this code reads version 1" in fault.message
    assert "use the code that wrote it" in fault.remedy


def test_a_value_edited_by_hand(path: Path) -> None:
    results = {**RECORD.results, "kernel": "mm"}
    fault = changed(path, digest=False, results=results).fault
    assert "changed by hand" in fault.message
    assert path.read_text().splitlines()[fault.line - 1].strip().startswith('"digest"')


def test_a_sample_edited_with_its_digest(path: Path) -> None:
    seconds = {**quantity([0.25, 0.5, 0.125, 1.0]), "samples": [0.25, 0.5, 0.125, 0.25]}
    fault = changed(path, digest=True, results={"copy": {"seconds": seconds}}).fault
    assert "results.copy.seconds: the samples' median is 0.25, not 0.375" in fault.message
    assert path.read_text().splitlines()[fault.line - 1].strip() == '"median": 0.375,'


@pytest.mark.parametrize(
    ("change", "message", "line"),
    [
        ({"when": "yesterday"}, "when: 'yesterday' does not match", '"when"'),
        ({"device": {**DEVICE, "memory_bytes": 0}}, "device.memory_bytes: 0", '"memory_bytes"'),
        ({"provenance": {"kind": "guessed"}}, "provenance: ", '"provenance"'),
        ({"colour": "red"}, "'colour' was unexpected", "{"),
        ({"results": {"copy": {"seconds": {"samples": [1]}}}}, "'median' is a", '"seconds"'),
    ],
)
def test_what_breaks_the_schema(
    path: Path, change: dict[str, Any], message: str, line: str
) -> None:
    fault = changed(path, digest=True, **change).fault
    assert message in fault.message
    assert path.read_text().splitlines()[fault.line - 1].strip().startswith(line)


@pytest.mark.parametrize("text", ["[]", "3", '"a"', "null"])
def test_json_that_is_no_record(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(BadInput, match="not a record"):
        read_record(path)


def test_lines_added_by_hand(path: Path) -> None:
    path.write_text(path.read_text() + "\n\n")
    with pytest.raises(BadInput, match="added or removed"):
        read_record(path)


def test_other_digits_of_the_same_number(path: Path) -> None:
    path.write_text(path.read_text().replace("8500000.0", "8500000.00"))
    with pytest.raises(BadInput, match="edited by hand") as caught:
        read_record(path)
    assert "8500000.00" in path.read_text().splitlines()[caught.value.fault.line - 1]


def test_a_missing_file_and_bytes_that_are_not_text(path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read_record(path.with_name("nothing.json"))
    path.write_bytes(b'{"a":\n "\xff"}')
    with pytest.raises(BadInput, match="not UTF-8"):
        read_record(path)


def test_a_result_that_json_cannot_hold(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(BadInput, match="infinite or not a number"):
        write_record(path, replace(RECORD, results={"speed": float("inf")}))
    with pytest.raises(BadInput, match="breaks docs"):
        write_record(path, replace(RECORD, results={}))
    assert path.read_bytes() == before


def test_a_full_disk_leaves_the_old_record(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left on device"):
        write_record(path, replace(RECORD, experiment="other"))
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_lookup(path: Path) -> None:
    assert lookup(RECORD, "copy.seconds") == 0.375
    assert lookup(RECORD, "copy.seconds.upper_quartile") == 0.625
    assert lookup(RECORD, "copy.bytes_per_second") == 8.5e6
    assert lookup(RECORD, "kernel") == "mv"


@pytest.mark.parametrize(
    ("field", "nearest"),
    [
        ("copy.byte_per_second", "copy.bytes_per_second"),
        ("copy", "copy.seconds"),
        ("kernel.name", "kernel"),
        ("terms", "kernel"),
        ("", "copy.seconds"),
    ],
)
def test_lookup_of_a_field_that_is_not_there(field: str, nearest: str) -> None:
    with pytest.raises(BadInput) as caught:
        lookup(RECORD, field)
    assert caught.value.fault.path == "docs/data/records/test-card/copying.json"
    assert repr(field) in caught.value.fault.message
    assert nearest in caught.value.fault.remedy


def test_fields_are_what_lookup_finds() -> None:
    assert all(lookup(RECORD, field) is not None for field in fields(RECORD.results))


def test_read_all_leaves_out_the_local_ones(tmp_path: Path, path: Path) -> None:
    write_record(tmp_path / "docs/data/records/local/copying.json", RECORD)
    assert records.read_all(tmp_path) == {"test-card/copying": RECORD}
    assert records.read_all(tmp_path / "elsewhere") == {}


def test_a_record_under_anothers_name(tmp_path: Path, path: Path) -> None:
    path.rename(path.with_name("reading.json"))
    with pytest.raises(BadInput, match=r"holds the record of test-card/copying"):
        records.read_all(tmp_path)


def test_the_published_records_are_as_they_were_written() -> None:
    root = Path(__file__).parents[1]
    for key, record in records.read_all(root).items():
        assert record.key == key
