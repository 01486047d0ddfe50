"""Records that cannot be true are refused, with the reason; those that are published are not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.faults import BadInput
from scripts.measure import publish
from scripts.plausible import implausible
from scripts.records import LOCAL, RECORDS, Record, read_all, write_record
from scripts.samples import quantity

ROOT = Path(__file__).parents[1]
GiB = 2**30

TIMES = quantity([0.00644] * 20)
H100: dict[str, Any] = {
    "slug": "h100-sxm",
    "name": "NVIDIA H100 80GB HBM3",
    "kind": "cuda",
    "memory_bytes": 79 * GiB,
    "cache_bytes": 50 * 2**20,
    "cores": 132,
    "dtypes": ["fp32", "fp16", "bf16"],
    "driver": "580.65",
    "clocks": {"sm_hertz": 1.98e9},
}
RECORD = Record(
    experiment="bandwidth",
    parameters={},
    device=H100,
    software={"python": "3.12.0", "torch": "2.13.0", "cuda": "13.0", "commit": None},
    when="2026-01-01T00:00:00Z",
    provenance={"kind": "measured", "command": "python scripts/build.py"},
    fingerprint="0" * 64,
    results={
        "copy": {"buffer_bytes": GiB, "seconds": TIMES, "bytes_per_second": 3.1e12},
        "fp16": {
            "matrix_vector": {"seconds": TIMES, "bytes_per_second": 3.2e12},
            "matrix_batch": {"4096": {"seconds": TIMES, "operations_per_second": 700e12}},
        },
    },
)


def messages(record: Record) -> list[str]:
    return [f"{fault.message} / {fault.remedy}" for fault in implausible(record)]


def changed(**results: Any) -> Record:
    return replace(RECORD, results={**RECORD.results, **results})


def test_a_good_record_is_not_refused() -> None:
    assert messages(RECORD) == []


def test_what_is_published_is_not_refused() -> None:
    for record in read_all(ROOT).values():
        assert messages(record) == []


def test_faster_than_the_memory() -> None:
    [message] = messages(changed(copy={"seconds": TIMES, "bytes_per_second": 3.36e12}))
    assert "copy.bytes_per_second is 3,360 GB/s, above the 3,350 of NVIDIA H100 SXM" in message
    [message] = messages(
        changed(fp16={"matrix_vector": {"seconds": TIMES, "bytes_per_second": 4e12}})
    )
    assert "fp16.matrix_vector.bytes_per_second is 4,000 GB/s" in message


def test_more_operations_than_a_higher_clock_explains() -> None:
    def product(rate: float) -> Record:
        batch = {"4096": {"seconds": TIMES, "operations_per_second": rate}}
        return changed(fp16={"matrix_batch": batch})

    assert messages(product(1.2 * 989e12)) == []
    [message] = messages(product(1979e12))  # the datasheet's figure with sparsity
    assert "1,979.0 TFLOP/s, above the 989.0" in message


@pytest.mark.parametrize("seconds", [quantity([0.00644] * 19), 0.00644])
def test_missing_samples(seconds: Any) -> None:
    [message] = messages(changed(copy={"seconds": seconds, "bytes_per_second": 3.1e12}))
    assert "copy.seconds has" in message
    assert "fewer than 20" in message


def test_a_card_that_is_not_in_the_registry() -> None:
    unknown = replace(RECORD, device={**H100, "slug": "h800", "name": "NVIDIA H800"})
    [message] = messages(unknown)
    assert "no accelerator is called 'h800' (NVIDIA H800)" in message
    assert "snippets/hardware" in message


def test_more_memory_than_the_card_has() -> None:
    [message] = messages(replace(RECORD, device={**H100, "memory_bytes": 81 * GiB}))
    assert "86,973,087,744 bytes of memory" in message


def test_decoding_faster_than_reading() -> None:
    results = {"models": {"8B": {"batch": {"1": {"seconds": TIMES, "of_ceiling": 1.31}}}}}
    [message] = messages(replace(RECORD, experiment="decoding", results=results))
    assert "models.8B.batch.1.of_ceiling is 1.31: faster than reading" in message


def test_what_others_report_is_theirs() -> None:
    record = changed(copy={"seconds": 1, "bytes_per_second": 9e12})
    provenance = {"kind": "transcribed", "source": "a page", "section": "1", "read": "2026-01-01"}
    assert messages(replace(record, provenance=provenance)) == []


def test_it_is_not_published(tmp_path: Path) -> None:
    record = changed(copy={"seconds": TIMES, "bytes_per_second": 9e12})
    (tmp_path / RECORDS / LOCAL).mkdir(parents=True)
    write_record(tmp_path / RECORDS / LOCAL / "bandwidth.json", record)
    with pytest.raises(BadInput, match="9,000 GB/s, above"):
        publish(tmp_path, "bandwidth")
    assert not (tmp_path / RECORDS / "h100-sxm").exists()
