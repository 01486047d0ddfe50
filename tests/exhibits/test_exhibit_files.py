"""Tables and figures: pure, reproducible, and made of numbers that prove themselves."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts import exhibits
from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.exhibits import exhibit_files
from scripts.experiments.parallelism_pipeline import schedules
from scripts.proof.numbers import check_definitions, check_references, unused_definitions
from scripts.proof.parse import parse_page
from scripts.records.record import Record
from snippets.hardware import ACCELERATORS
from tests.rendered import (
    ROOT,
    figures,
    figures_of,
    published,
    tables,
    tables_of,
    values_of,
    words_of,
)

TABLES = sorted(path.stem for path in (ROOT / "docs/tables").glob("*.md"))
GENERATED = ("ledger", "functions", "bibliography", "references")  # from pages
TABLES = [name for name in TABLES if not name.endswith(GENERATED)]
FIGURES = sorted(path.stem for path in (ROOT / "docs/figures").glob("*.json"))


def test_what_is_committed_is_what_is_rendered() -> None:
    made = tables() | figures()
    assert {f"tables/{name}.md" for name in TABLES} <= set(made)
    forms = ("-narrow.svg", ".svg", ".csv", ".json")
    assert {f"figures/{name}{form}" for name in FIGURES for form in forms} == {
        path for path in made if path.startswith("figures/")
    }
    told = [path for path in made if not (path.startswith("data/") and path.endswith(".json"))]
    assert [path for path in told if (ROOT / "docs" / path).read_bytes() != made[path]] == []


def test_a_user_s_own_style_changes_nothing() -> None:
    import matplotlib

    matplotlib.rcParams["lines.linewidth"] = 9
    again = figures_of(published(), "bandwidth", "staircase")
    assert matplotlib.rcParams["lines.linewidth"] == 9
    assert again == {path: figures()[path] for path in again}


@pytest.mark.parametrize("name", TABLES)
def test_every_number_of_a_table_proves_itself(name: str) -> None:
    path = f"tables/{name}.md"
    page = parse_page(path, tables()[path].decode())
    assert page.faults == []
    checked, faults = check_definitions(page, values_of(published()))
    assert [fault for fault in faults if "nothing is called" not in fault.message] == []
    assert check_references(page, checked) == ([], [])
    assert unused_definitions(page, set()) == []
    # What has run on a GPU is told by the names of devices.
    assert len(page.references) > 3 or name == "real-gpus"
    assert all(label.startswith(f"t-{name}-") for label in page.definitions)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_same_rows_as_data(name: str) -> None:
    page = parse_page("t", (ROOT / f"docs/tables/{name}.md").read_text(encoding="utf-8"))
    proven = []
    for one in (ROOT / f"docs/data/tables/{name}{end}.json" for end in ("", "-2")):
        if one.is_file():
            whole = json.loads(one.read_bytes())
            rows = list(csv.reader(io.StringIO(one.with_suffix(".csv").read_text("utf-8"))))
            assert len(rows) - 1 == len(whole["rows"]) > 0
            assert {len(row) for row in whole["rows"]} == {len(whole["columns"])}
            proven += [cell for row in whole["rows"] for cell in row if "origin" in cell]
    shown = [reference.text for reference in page.references]
    alone = [cell["written"] for cell in proven]
    assert alone == shown if name != "knee" else set(alone) <= set(shown)
    assert all(cell["origin"]["expression"] for cell in proven)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_text_on_nothing(name: str) -> None:
    svg = figures()[f"figures/{name}.svg"].decode()
    tree = ElementTree.fromstring(svg)
    assert tree.find(".//{http://www.w3.org/2000/svg}text") is not None
    assert "<dc:date>" not in svg
    for background in ("fill: #ffffff", "fill: white", "#000000"):
        assert background not in svg.lower()


def test_a_device_without_a_datasheet_is_predicted_from_its_own_reading() -> None:
    known = published()["rtx-3060-transcribed/bandwidth"]
    product = {"vectors": 1, "operations_per_second": 9e9}
    record = replace(
        known,
        device={**known.device, "slug": "abacus", "dtypes": ["fp32"]},
        provenance={"kind": "measured", "command": "scripts/build.py"},
        results={
            "copy": {"bytes_per_second": 12.25e9},
            "read": {"bytes_per_second": 20e9},
            "matrix": {"rows": 8192, "columns": 8192},
            "fp32": {
                "matrix_vector": product,
                "matrix_batch": {"64": {"vectors": 64, "operations_per_second": 50e9}},
            },
            "bf16": {"matrix_vector": product, "matrix_batch": {}},
        },
    )
    records = {**published(), "abacus/bandwidth": record}
    assert [row[1:] for row in words_of("bandwidth", records) if row[0] == "abacus"] == [
        ["copy", "", "", "", "12.2 GB/s", ""],
        ["read", "", "", "", "20 GB/s", ""],
        ["FP32 product", "1", "", "10.00 GFLOP/s", "9 GFLOP/s", "0.90"],
        ["FP32 product", "64", "", "", "50 GFLOP/s", ""],
        ["BF16 product, emulated", "1", "", "20.0 GFLOP/s", "9 GFLOP/s", "0.45"],
    ]
    assert b"abacus" in figures_of(records, "bandwidth")["figures/roofline.svg"]


def test_every_figure_of_a_datasheet_says_where_it_stands() -> None:
    table = tables()["tables/hardware.md"].decode()
    for device in ACCELERATORS.values():
        for field, source in device.sources.items():
            assert getattr(device, field) is not None
            read = f"read `{source.read}`" if source.read else "not read"
            words = "" if source.quoted else source.section
            for part in (source.title, words, f"](<{source.url}>), {read}"):
                assert part in table


def without(record: Record, name: str) -> Record:
    return replace(record, results={k: v for k, v in record.results.items() if k != name})


def test_a_record_without_a_shown_value_is_bad_input() -> None:
    record = without(published()["rtx-3060-transcribed/bandwidth"], "matrix")
    with pytest.raises(BadInput, match=r"docs/tables/bandwidth.md.*no single value named 'matrix"):
        tables_of({**published(), record.key: record})
    record = without(published()["epyc-2-cores/decoding"], "models")
    with pytest.raises(BadInput, match=r"docs/tables/decoding.md.*lacks 'models'"):
        tables_of({**published(), record.key: record})


def test_what_no_record_shows_is_not_there() -> None:
    rest = {k: r for k, r in published().items() if r.experiment != "predictions"}
    gone = set(tables()) - set(tables_of(rest))
    assert "tables/predictions.md" in gone
    assert all("predictions" in path for path in gone)


def test_a_sweep_of_fewer_widths() -> None:
    sweep = published()["epyc-2-cores/quantization"]
    losses = {
        name: {bits: loss for bits, loss in each.items() if bits != "2"}
        for name, each in sweep.results["loss"].items()
        if name in ("per_group_32", "per_matrix")
    }
    name = "quantization-smollm2"
    own = replace(sweep, experiment=name, results={"loss": losses})
    rows = words_of(name, {own.key: own})
    assert [row[1] for row in rows] == ["unrounded", *"86543"]
    assert {len(row) for row in rows} == {4}


def test_a_kernel_that_is_not_there_has_no_row() -> None:
    measured: dict[str, Any] = {
        "bits_per_weight": 16,
        "seconds": {"samples": [0.25], "median": 0.25},
        "bytes_per_second": 4e9,
        "speedup_over_16_bits": 1.0,
    }
    record = replace(
        published()["epyc-2-cores/quantization-speed"],
        results={"fp16": measured, "int4": {"left_out": "no such kernel"}},
    )
    (row,) = words_of("quantization-speed", {record.key: record})
    assert row == ["epyc-2-cores", "FP16", "16.00", "250.00", "4.0", "1.00"]


def test_charts_and_pages_draw_the_same_schedules() -> None:
    for schedule, (_, orders) in schedules.SCHEDULES.items():
        written = schedules.expression(schedule, 4, 8)
        assert values_of({}).evaluate(written) == orders(4, 8)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a single module of figures, and nothing drawn yet."""
    for folder in ("docs/tables", "docs/figures", "docs/data", "scripts", "snippets"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "scripts/one.py").write_text("FIGURES = ()\n")
    kinds = {"tables": [], "figures": [("bandwidth", ModuleType("scripts.one"))]}
    monkeypatch.setattr(exhibits, "modules", lambda kind: iter(kinds[kind]))
    return tmp_path


def test_only_what_is_stale_is_drawn(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def draw(module: Any, records: list[Record]) -> dict[str, bytes]:
        drawn.append(len(records))
        return {"figures/one.svg": b"<svg/>"}

    monkeypatch.setattr(exhibits, "drawn", draw)
    records = dict(published())

    def render() -> int:
        """How often it is drawn when all is rendered and written."""
        before = len(drawn)
        values = values_of(records)
        made = exhibit_files.render(copy, Cache(copy), values, lambda origin: {})
        for path, data in made.items():
            (copy / "docs" / path).write_bytes(data)
        return len(drawn) - before

    assert (render(), render()) == (1, 0)
    (copy / "docs/figures/one.svg").write_bytes(b"<svg>by hand</svg>")
    assert (render(), render()) == (1, 0)
    (copy / "scripts/one.py").write_text("FIGURES = ()  # none\n")
    assert render() == 0
    (copy / "scripts/one.py").write_text("FIGURES = (1,)\n")
    assert (render(), render()) == (1, 0)
    records.pop("epyc-2-cores/decoding")  # of another experiment
    assert render() == 0
    records.pop("rtx-3060-transcribed/bandwidth")
    assert (render(), render()) == (1, 0)
    (copy / "docs/tables/keys.jsonl").write_text("damaged")
    assert (render(), render()) == (1, 0)
    assert drawn == [2, 2, 2, 1, 1]
