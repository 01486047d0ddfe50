"""The lab's tables prove themselves, whatever widths and kernels a record has."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.proof.evaluate import Evaluator
from scripts.proof.numbers import check_definitions, check_references
from scripts.proof.parse import parse_page
from scripts.records.record import Record, read_all
from scripts.render import quantization_lab

ROOT = Path(__file__).parents[2]
SWEEP = "epyc-2-cores/quantization"
NAMES = ["FP32", "FP16", "BF16", "NF4", "MXFP4", "NVFP4", "LLM.int8()"]


@pytest.fixture
def published() -> dict[str, Record]:
    return read_all(ROOT)


def proven_rows(path: str, records: dict[str, Record]) -> list[str]:
    """The rows of a table, after each of its numbers has been compared with its source."""
    source = quantization_lab.render(records)[path].decode()
    page = parse_page(path, source, names=NAMES)
    assert page.faults == []
    checked, faults = check_definitions(page, Evaluator(records, {}))
    assert faults == []
    assert check_references(page, checked) == ([], [])
    return [line for line in source.splitlines() if line.startswith("| ")][2:]


@pytest.mark.parametrize(
    ("name", "rows"),
    [("quantization-lab", 7), ("quantization-matrices", 6), ("quantization-methods", 16)],
)
def test_published_tables(name: str, rows: int, published: dict[str, Record]) -> None:
    assert len(proven_rows(f"tables/{name}.md", published)) == rows


def test_a_sweep_of_fewer_widths(published: dict[str, Record]) -> None:
    sweep = published[SWEEP]
    losses = {
        name: {bits: loss for bits, loss in each.items() if bits != "2"}
        for name, each in sweep.results["loss"].items()
        if name in ("per_group_32", "per_matrix")
    }
    key = "epyc-2-cores/quantization-smollm2"
    published[key] = replace(sweep, experiment="quantization-smollm2", results={"loss": losses})
    rows = proven_rows("tables/quantization-smollm2.md", published)
    assert [row.split("][")[0].removeprefix("| `epyc-2-cores` | [") for row in rows[1:]] == list(
        "86543"
    )


def test_a_kernel_that_is_not_there_has_no_row(published: dict[str, Record]) -> None:
    measured: dict[str, Any] = {
        "bits_per_weight": 16,
        "seconds": {"samples": [0.25], "median": 0.25},
        "bytes_per_second": 4e9,
        "speedup_over_16_bits": 1.0,
    }
    records = {key: each for key, each in published.items() if each.experiment == "quantization"}
    records["test/quantization-speed"] = replace(
        published[SWEEP],
        experiment="quantization-speed",
        results={"fp16": measured, "int4": {"left_out": "no such kernel"}},
        device={**published[SWEEP].device, "slug": "test"},
    )
    (row,) = proven_rows("tables/quantization-speed.md", records)
    assert row.startswith("| `test` | FP16 | [16.00]")
    assert "[250.00]" in row
    assert "[4.0]" in row
