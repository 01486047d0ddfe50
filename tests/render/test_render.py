"""Tables and figures: pure, reproducible, and made of numbers that prove themselves."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from scripts import render
from scripts.core.faults import BadInput
from scripts.proof.evaluate import Evaluator
from scripts.proof.numbers import check_definitions, check_references, unused_definitions
from scripts.proof.parse import parse_page
from scripts.records.record import Record
from scripts.render import bandwidth, quantization, style, this_machine
from scripts.render.markdown import Table, written
from snippets.formats import FORMATS
from snippets.hardware import ACCELERATORS

ROOT = Path(__file__).parents[2]
NAMES = [*(device.name for device in ACCELERATORS.values()), *(f.name for f in FORMATS.values())]

TABLES = [
    *("activation-counts", "activation-layers", "activation-recomputation", "activation-terms"),
    *("bandwidth", "decoding", "decoding-between", "formats", "hardware", "knee"),
    *("llama-405b-plans", "parallelism-held", "staircase", "training-explained"),
    "training-recipes",
    *("parallelism-mesh", "parallelism-schedules", "parallelism-sent", "parallelism-tensor"),
    *("quantization", "training-memory"),
]
FIGURES = [
    *("decoding-epyc-2-cores", "staircase-epyc-2-cores", "training-timeline-epyc-2-cores"),
    *("bit-layouts", "collectives", "fit-by-format", "gpu-layout", "loss-by-bits"),
    *("pipeline-bubbles", "pipeline-timelines", "range-and-precision"),
    *("embedded-training", "lab-histogram", "lab-loss-by-bits", "lab-outliers", "predictions"),
    *("rank-layout", "roofline", "ruler", "where-the-peak-goes", "which-split", "zero-stages"),
]


def test_what_is_rendered(rendered: dict[str, bytes]) -> None:
    expected = {
        *(f"figures/{name}.{form}" for name in FIGURES for form in ("svg", "csv", "json")),
        *(f"tables/{name}.md" for name in TABLES),
    }
    assert expected <= set(rendered)
    assert {Path(path).suffix for path in rendered} == {".md", ".svg", ".csv", ".json"}
    assert {path for path in rendered if path.endswith(".svg")} == {
        f"figures/{name}.svg" for name in FIGURES
    }


def test_the_same_records_give_the_same_bytes(
    published: dict[str, Record], rendered: dict[str, bytes]
) -> None:
    import matplotlib

    matplotlib.rcParams["lines.linewidth"] = 9  # a user's own style changes nothing
    assert render.render(published) == rendered
    assert matplotlib.rcParams["lines.linewidth"] == 9


@pytest.mark.parametrize("name", TABLES)
def test_every_number_of_a_table_proves_itself(
    name: str, published: dict[str, Record], rendered: dict[str, bytes]
) -> None:
    path = f"tables/{name}.md"
    names = [*NAMES, *("TF32", "FP4", "FP8", "FP16", "FP32", "INT8", "1F1B", "FSDP2")]
    page = parse_page(path, rendered[path].decode(), names=names)
    assert page.faults == []
    checked, faults = check_definitions(page, Evaluator(published, {}))
    assert faults == []
    assert check_references(page, checked) == ([], [])
    assert unused_definitions(page, set()) == []
    assert len(page.references) > (3 if name == "knee" else 5)  # which has one row a device
    assert all(label.startswith(f"t-{name}-") for label in page.definitions)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_text_on_nothing(name: str, rendered: dict[str, bytes]) -> None:
    svg = rendered[f"figures/{name}.svg"].decode()
    tree = ElementTree.fromstring(svg)
    assert tree.find(".//{http://www.w3.org/2000/svg}text") is not None
    assert "<dc:date>" not in svg
    for background in ("fill: #ffffff", "fill: white", "#000000"):
        assert background not in svg.lower()


def test_a_device_without_a_datasheet_is_predicted_from_its_own_reading(
    published: dict[str, Record],
) -> None:
    product = {"vectors": 1, "operations_per_second": 9e9}
    record = replace(
        published["rtx-3060/bandwidth"],
        device={**published["rtx-3060/bandwidth"].device, "slug": "abacus", "dtypes": ["fp32"]},
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
    made = bandwidth.render({**published, "abacus/bandwidth": record})
    rows = made["tables/bandwidth.md"].decode().splitlines()
    own = [
        re.sub(r"\[([^\]]*)\]\[[^\]]*\]", r"\1", row)
        for row in rows
        if row.startswith("| `abacus`")
    ]
    assert own == [
        "| `abacus` | copy |  |  |  | 12.2 GB/s |  |",
        "| `abacus` | read |  |  |  | 20 GB/s |  |",
        "| `abacus` | FP32 product | 1 |  | 10.00 GFLOP/s | 9 GFLOP/s | 0.90 |",
        "| `abacus` | FP32 product | 64 |  |  | 50 GFLOP/s |  |",
        "| `abacus` | BF16 product, emulated | 1 |  | 20.0 GFLOP/s | 9 GFLOP/s | 0.45 |",
    ]
    assert b"abacus" in made["figures/roofline.svg"]


def test_any_changed_value_of_a_registry_changes_its_table(
    published: dict[str, Record], rendered: dict[str, bytes]
) -> None:
    table = rendered["tables/hardware.md"].decode()
    for device in ACCELERATORS.values():
        for field, source in device.sources.items():
            value = getattr(device, field)
            assert value is not None
            read = f"read `{source.read}`" if source.read else "entered from memory, not checked"
            for part in (source.title, source.section, f"](<{source.url}>), {read}"):
                assert part in table


def test_a_record_without_a_shown_value_is_bad_input(published: dict[str, Record]) -> None:
    record = published["rtx-3060/bandwidth"]
    results = {name: value for name, value in record.results.items() if name != "matrix"}
    with pytest.raises(BadInput, match=r"no single value named 'matrix.rows'"):
        render.render({**published, "rtx-3060/bandwidth": replace(record, results=results)})


def test_a_missing_record_is_a_key_error(published: dict[str, Record]) -> None:
    rest = {key: record for key, record in published.items() if "quantization" not in key}
    with pytest.raises((KeyError, BadInput), match="rtx-3060/quantization"):
        quantization.render(rest)


def test_cells_are_written_whole_or_to_the_precision_asked_for() -> None:
    assert written(3.35e12, unit="GB/s") == "3,350"
    assert written(460.8e9, unit="GB/s") == "460.8"
    assert written(3.4028234663852886e38) == "3.4028234663852886e38"
    assert written(6.103515625e-05) == "6.103515625e-5"
    assert written(-128) == "−128"
    assert written(1.57e-3, unit="ms", decimals=1) == "1.6"


def test_equal_cells_share_one_definition(published: dict[str, Record]) -> None:
    table = Table("two", "one", "other", records=published)
    cell = table.number("calc", "weight_bytes(8e9, 2)", unit="GB")
    table.row(cell, table.number("calc", "weight_bytes(8e9, 2)", unit="GB"))
    assert table.markdown() == (
        "| one | other |\n| --- | --- |\n| [16][t-two-1] | [16][t-two-1] |\n\n"
        '[t-two-1]: #calc "weight_bytes(8e9, 2) in GB"\n'
    )


def test_a_cell_without_a_value_names_its_table(published: dict[str, Record]) -> None:
    table = Table("two", "one", records=published)
    with pytest.raises(BadInput, match=r"docs/tables/two.md"):
        table.number("calc", "no_such_thing(3)")
    table._evaluator.bibliography = {"kingma2015": {"year": "2015"}}
    with pytest.raises(BadInput, match="cites no number"):
        table.number("cite", "kingma2015")


def test_this_machine_says_when_there_is_nothing_yet(published: dict[str, Record]) -> None:
    made = render.render_local({}, published)
    assert list(made) == ["tables/local/this-machine.md"]
    assert b"Nothing has been measured on this machine yet" in made[this_machine.PAGE]


@pytest.mark.parametrize("experiment", sorted(this_machine.SHOWN))
def test_this_machine_shows_some_of_an_experiment(
    experiment: str, published: dict[str, Record]
) -> None:
    record = next(one for one in published.values() if one.experiment == experiment)
    made = render.render_local({experiment: record}, published)[this_machine.PAGE].decode()
    rows = [line for line in made.splitlines() if line.startswith("| `")]
    assert 0 < len(rows) <= 45


def test_this_machine_stands_beside_the_published_ones(published: dict[str, Record]) -> None:
    record = published["rtx-3060/bandwidth"]
    made = render.render_local({"bandwidth": record}, published)[this_machine.PAGE].decode()
    assert "## bandwidth" in made
    assert "`rtx-3060`" in made.splitlines()[4]
    assert "| `copy.bytes_per_second` | 333 GB/s | " in made
    assert "][" not in made


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


def test_ink_is_legible_on_both_backgrounds() -> None:
    def luminance(colour: str) -> float:
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        light, dark = sorted((luminance(one), luminance(other)), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    for background in ("#ffffff", "#1e2129"):
        assert contrast(style.INK, background) > 3.9
        assert contrast(style.BLUE, background) > 3.9
        for colour in (style.VERMILLION, style.GREEN):
            assert contrast(colour, background) > 3.2
    for colour in style.COLOURS:
        assert contrast(style.ON_COLOUR, colour) > 4.5
