"""JSON as records are written: samples on one line, and values found by their line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.core.json_source import dumps, line_of

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
DOCUMENTS = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(DOCUMENTS.filter(lambda document: "inf" not in repr(document)))
def test_what_is_dumped_loads_as_it_was(document: object) -> None:
    assert json.loads(dumps(document)) == document


def test_plain_arrays_stay_on_one_line() -> None:
    assert dumps({"samples": [1, 2.5], "terms": [{"bytes": 3}], "none": {}}) == (
        '{\n  "samples": [1, 2.5],\n  "terms": [\n    {\n      "bytes": 3\n    }\n  ],\n'
        '  "none": {}\n}'
    )


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_what_json_cannot_hold(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps({"results": {"speed": number}})


TEXT = """{
  "a: {": [],
  "b": {
    "x": [1, {"deep": "}"}],
    "a": "\\"b\\": 2"
  },
  "a": 3
}"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ([], 1),
        (["a: {"], 2),
        (["b"], 3),
        (["b", "x"], 4),
        (["b", "x", 1, "deep"], 4),
        (["b", "a"], 5),
        (["a"], 7),
        (["b", "missing"], 3),
        (["missing"], 1),
    ],
)
def test_the_line_of_a_value_or_of_the_nearest_on_the_way(path: list[str | int], line: int) -> None:
    json.loads(TEXT)
    assert line_of(TEXT, path) == line
