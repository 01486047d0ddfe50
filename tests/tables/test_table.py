"""A table as an object: what it writes as Markdown, for a spreadsheet and with its cells' origins."""

import csv
import io
import json

import pytest

from scripts.tables.data import Cell, TableData, base_unit
from scripts.tables.table import Column, Table, three_digits, written
from tests.rendered import published, values_of

VALUES = values_of({}, {"kingma2015": {"year": "2015"}})


@pytest.mark.parametrize(
    ("value", "look", "expected"),
    [
        (3.35e12, {"unit": "GB/s"}, "3,350"),
        (460.8e9, {"unit": "GB/s"}, "460.8"),
        (3.4028234663852886e38, {}, "3.40282e38"),
        (6.103515625e-05, {}, "6.10352e-5"),
        (-128, {}, "−128"),
        (1.57e-3, {"unit": "ms", "decimals": 1}, "1.6"),
        (12.5e9, {"suffix": "GB", "decimals": 0}, "12"),
        (209.375, {"suffix": "tokens/s", "decimals": 1}, "209.4"),
    ],
)
def test_numbers_are_written_to_six_digits_or_to_the_precision_asked_for(
    value: float, look: dict[str, object], expected: str
) -> None:
    assert written(value, **look) == expected  # type: ignore[arg-type]


def test_three_digits_or_fewer() -> None:
    assert [three_digits(value) for value in (12.25, 20.0, 333, 9.999, 0.00123)] == [1, 0, 0, 2, 5]


def two_columns() -> Table:
    form = Column("size, GB", calc="weight_bytes(8e9, {form}.bytes)", unit="GB")
    return Table("format", form, "rate", values=VALUES)


def test_a_column_s_cells_follow_from_what_a_row_names() -> None:
    table = two_columns()
    rate = table.number(cite="h100_sxm.memory_bandwidth", suffix="GB/s")
    table.row("FP16", rate, form="FP16")
    table.row("BF16", [rate, " and ", rate], form="BF16")
    table.row("**none**", "")
    assert table.markdown("t-two") == (
        "| format | size, GB | rate |\n| --- | --- | --- |\n"
        "| FP16 | [16][t-two-1] | [3,350 GB/s][t-two-2] |\n"
        "| BF16 | [16][t-two-3] | [3,350 GB/s][t-two-2] and [3,350 GB/s][t-two-2] |\n"
        "| **none** |  |  |\n\n"
        '[t-two-1]: #calc "weight_bytes(8e9, FP16.bytes) in GB"\n'
        '[t-two-2]: #cite "h100_sxm.memory_bandwidth"\n'
        '[t-two-3]: #calc "weight_bytes(8e9, BF16.bytes) in GB"\n'
    )
    first, second, third = table.data().rows
    size = Cell("16", "16", "GB", ("calc", "weight_bytes(8e9, FP16.bytes)"))
    assert first[:2] == [Cell("FP16"), size]
    assert first[2] == Cell("3,350 GB/s", "3,350", "GB/s", ("cite", "h100_sxm.memory_bandwidth"))
    assert second[2] == Cell("3,350 GB/s and 3,350 GB/s")
    assert third == [Cell("none"), Cell(""), Cell("")]


def test_rows_of_a_device_say_which_experiments_they_show() -> None:
    values = values_of(published())
    table = Table(
        "device", "work", Column("rate", record="{place}.bytes_per_second"), values=values
    )
    for key, _ in table.each("bandwidth"):
        table.row("copy", place=f"{key}: copy")
    data = table.data()
    assert data.devices == {"epyc-2-cores": ["bandwidth"], "rtx-3060-transcribed": ["bandwidth"]}
    assert [row[0].written for row in data.rows] == list(data.devices)
    assert two_columns().data().devices == {}


@pytest.mark.parametrize(
    ("origin", "message"),
    [
        ({"calc": "no_such_thing(3)"}, "nothing in snippets/ is called no_such_thing"),
        ({"cite": "kingma2015"}, "kingma2015 cites no number"),
        ({"record": "a/b: c"}, "no published record 'a/b'"),
    ],
)
def test_what_has_no_value_is_no_cell(origin: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        two_columns().number(**origin)


def test_a_work_s_figure_stands_in_its_citation() -> None:
    number = two_columns().number(cite="kingma2015: section 1 = 0.5")
    assert (number.digits, number.definition) == ("0.5", '#cite "kingma2015: section 1 = 0.5"')


DATA = TableData(
    ["device", "rate", "size, MiB", "share", "what"],
    [
        [
            Cell("rtx-3060"),
            Cell("3,350 GB/s", "3,350", "GB/s", ("record", "x")),
            Cell("32", "32", "MiB"),
            Cell("12.5%", "12.5", "%"),
            Cell("16 and 32"),
        ],
        [
            *(Cell("both"), Cell("−0.34 TFLOP/s", "−0.34", "TFLOP/s"), Cell("")),
            *(Cell("7%", "7", "%"), Cell("a | b")),
        ],
    ],
    {"rtx-3060-transcribed": ["bandwidth"]},
)


def test_numbers_are_a_spreadsheet_s_and_units_stand_in_the_head() -> None:
    assert list(csv.reader(io.StringIO(DATA.csv().decode()))) == [
        ["device", "rate", "rate, unit", "size, MiB", "share (%)", "what"],
        ["rtx-3060", "3350", "GB/s", "32", "12.5", "16 and 32"],
        ["both", "-0.34", "TFLOP/s", "", "7", "a | b"],
    ]


def test_a_cell_says_what_is_written_its_value_its_unit_and_its_origin() -> None:
    origin = {"kind": "recorded", "expression": "x", "value": 3.35e12}
    whole = json.loads(DATA.json("one", lambda found: origin))
    assert (whole["table"], whole["devices"]) == ("one", {"rtx-3060-transcribed": ["bandwidth"]})
    said = {"written": "3,350 GB/s", "value": 3.35e12, "unit": "B/s", "origin": origin}
    assert whole["rows"][0][:2] == [{"written": "rtx-3060"}, said]
    assert whole["rows"][1][1] == {"written": "−0.34 TFLOP/s", "value": -0.34, "unit": "TFLOP/s"}


def test_values_are_in_the_unit_without_its_prefix() -> None:
    units = ("GB/s", "MiB", "TFLOP/s", "ms", "%", "billion", "tokens/s", "W", "kbit/s", "")
    bases = ("B/s", "B", "FLOP/s", "s", "", "", "tokens/s", "W", "bit/s", "")
    assert tuple(map(base_unit, units)) == bases
