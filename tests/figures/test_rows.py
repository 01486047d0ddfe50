"""The data of figures: taken from what is drawn, named by its axes, and the same in both files."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from scripts.figures.drawing import drawing, label_ends, spread
from scripts.figures.rows import as_csv, as_json, rows_of
from scripts.records.record import lookup
from tests.rendered import ROOT, published

FIGURES = ROOT / "docs/figures"  # which are what is rendered: tests/exhibits


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def test_each_figure_has_the_same_data_in_both_files() -> None:
    drawn = [path for path in FIGURES.glob("*.svg") if not path.stem.endswith("-narrow")]
    assert len(drawn) > 20
    for path in drawn:
        rows = read_csv(path.with_suffix(".csv").read_bytes())
        whole = json.loads(path.with_suffix(".json").read_bytes())
        assert f"<dc:title>{whole['title']}</dc:title>" in path.read_text("utf-8")
        assert len(rows) == len(whole["rows"]) > 1, path
        for row, same in zip(rows, whole["rows"], strict=True):
            assert {name: value for name, value in row.items() if value} == {
                name: str(value) for name, value in same.items() if value != ""
            }


def test_the_data_are_what_was_measured() -> None:
    rows = read_csv((FIGURES / "staircase-epyc-2-cores.csv").read_bytes())
    record = published()["epyc-2-cores/staircase"]
    sizes = [name for name, found in record.results["read"]["sizes"].items() if "seconds" in found]
    read = {row["size of all vectors together, bytes"]: row["GB/s"] for row in rows[: len(sizes)]}
    assert list(read) == sizes
    for size in sizes:
        rate = lookup(record, f"read.sizes.{size}.bytes_per_second")
        assert float(read[size]) == pytest.approx(rate / 1e9, rel=1e-9)
    loss = read_csv((FIGURES / "loss-by-bits-rtx-3060-transcribed.csv").read_bytes())
    assert loss[-1] == {
        "series": "FP16",
        "bits per weight, scales included": "",
        "loss, nats per token": "2.5805",
    }


def test_lines_bars_and_panels_become_rows() -> None:
    with drawing("two", "Two panels", height=3) as sheet:
        left, right = sheet.axes(1, 2, 1), sheet.axes(1, 2, 2)
        left.plot([1, 2], [0.5, 1 / 3], label="line")
        left.axhline(7, label="limit")
        left.axvline(9, label="edge")
        left.set(title="left", xlabel="steps", ylabel="loss,\nnats")
        right.barh(0, 3, label="weights")
        right.barh(1, 4, label="weights")
        right.set(title="right", xlabel="GB")
        right.set_yticks([0, 1], ["one", "two"])
        sheet.columns["steps"] = "steps taken"
        rows = rows_of(sheet.canvas, sheet.columns)
    assert rows == [
        {"panel": "left", "series": "line", "steps taken": 1, "loss, nats": 0.5},
        {"panel": "left", "series": "line", "steps taken": 2, "loss, nats": 0.3333333333},
        {"panel": "left", "series": "limit", "loss, nats": 7},
        {"panel": "left", "series": "edge", "steps taken": 9},
        {"panel": "right", "series": "weights", "bar": "one", "GB": 3},
        {"panel": "right", "series": "weights", "bar": "two", "GB": 4},
    ]
    assert sheet.files()["figures/two.csv"] == as_csv(rows)
    assert sheet.files()["figures/two.json"] == as_json("Two panels", rows)
    assert as_csv(rows).decode().splitlines()[3] == "left,limit,,7,,"


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda axes: axes.plot([1, 2], [3, 4]), "Line2D without a label"),
        (lambda axes: axes.barh(0, 3), "BarContainer without a label"),
        (lambda axes: axes.scatter([1], [2], label="dots"), "PathCollection: give its rows"),
        (lambda axes: axes.text(0, 0, "words"), "without lines or bars"),
    ],
)
def test_a_figure_without_data_cannot_be_drawn(draw: Callable[[Any], object], message: str) -> None:
    with pytest.raises(ValueError, match=message), drawing("one", "One", height=2) as sheet:
        draw(sheet.axes())


def test_names_at_the_ends_of_lines_keep_apart() -> None:
    assert spread([0, 100], 10) == [0, 100]
    assert spread([50, 50], 10) == [45, 55]
    assert spread([0, 1, 2, 50], 10) == [-9, 1, 11, 50]
    assert spread([0, 8, 12], 10) == pytest.approx([-10 / 3, 20 / 3, 50 / 3])
    with drawing("ends", "Ends", height=3) as sheet:
        axes = sheet.axes()
        axes.plot([0, 1], [1, 2], label="one")
        axes.plot([0, 1], [2, 2], label="other")
        axes.axhline(1, label="limit")
        label_ends(axes)
        assert {text.get_text() for text in axes.texts} == {"one", "other"}
        names: list[Any] = list(axes.texts)
        apart = abs(names[0].xyann[1] - names[1].xyann[1])
        assert apart == pytest.approx(1.3 * 12)
