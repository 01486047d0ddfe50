"""Numbers as written, checked against values worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.proof.written import NotWritten, parse_written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("209 tokens/s", 209.375),
        ("3,350 GB/s", 3.35e12),
        ("27.7 trillion", 27.74e12),
        ("about 39 GB", 39.375e9),
        ("81 times", 81.24),
        ("19%", 0.1875),
        ("0.5 %", 0.005),
        ("1.57 ms", 1.57e-3),
        ("70B", 70e9),
        ("8.03 billion", 8.03e9),
        ("3.4e38", 3.4028234663852886e38),
        ("6.1e-5", 6.103515625e-05),
        ("1/6", 1 / 6),
        ("80 GiB", 80 * 2**30),
        ("989 TFLOP/s", 989e12),
        ("16 B per parameter", 16),
        ("65,504", 65504.0),
        ("**16.19**", 16.19),
        ("−0.2", -0.2),
        ("0%", 0.0),
        ("40 h", 144000),
        ("thirty-two layers", 32),
        ("two thirds", 0.64),
        ("+0.001", 0.0011),
        ("12,345,678,901,234,567", 12345678901234567),
    ],
)
def test_a_right_number_matches(text: str, value: float) -> None:
    assert parse_written(text).matches(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("208 tokens/s", 209.375),
        ("210 tokens/s", 209.375),
        ("3,350 GB", 3350),
        ("3,350 MB/s", 3.35e12),
        ("27.8 trillion", 27.74e12),
        ("20%", 0.1875),
        ("1/7", 1 / 6),
        ("0.2", -0.2),
        ("16,384", 16383),
        ("0 GB", 3e8),
        ("2 hundred bytes", 2),
        ("209 tokens/ms", 209.375),
        ("3,350 GB per hour", 3.35e12),
        ("thirty-one", 32),
        ("two thirds", 0.75),
        ("2 dozen bytes", 2),
        ("0.0", 0.04),
    ],
)
def test_a_wrong_number_does_not(text: str, value: float) -> None:
    assert not parse_written(text).matches(value)


@pytest.mark.parametrize(
    ("text", "value", "mended"),
    [
        ("208 tokens/s", 209.375, "209"),
        ("3,350 GB/s", 2.0394e12, "2,039"),
        ("9,999 GB", 12345.6e9, "12,346"),
        ("3.4e38", 6.5504e4, "6.6e4"),
        ("+0.10", -0.04, "−0.04"),
    ],
)
def test_mending_keeps_precision_and_style(text: str, value: float, mended: str) -> None:
    assert parse_written(text).format(value) == mended


def test_the_unit_can_stand_elsewhere() -> None:
    assert parse_written("333", unit="GB/s").matches(333.2e9)


@pytest.mark.parametrize(
    "text",
    [
        "no number",
        "8 × 16",
        "FP16",
        "1-6",
        "from 3 to 4",
        "10,0000",
        "1,0000",
        "209.375.9",
        "2GB",
        "2-GB",
        "2 **GB**",
        "2 \u200bGB",
        "2-million",
        "2 GiBs",
        "209_000",
        "512 KB",
        "989 TFLOPS",
        "3 GBps",
        "2 Tb/s",
        "½ 16 GB",
        "16 GB squared",
        "16 GB²",
        "16 GB bytes",
        "16 GB half",
        "16 GB 2 thirds",
        "16 GB / 2",
        "16² GB",
        "two of three",
    ],
)
def test_exactly_one_number(text: str) -> None:
    with pytest.raises(NotWritten):
        parse_written(text)


@given(st.floats(1, 1e12), st.integers(0, 4), st.integers(0, 9), st.data())
def test_every_changed_digit_is_noticed(
    value: float, decimals: int, digit: int, data: st.DataObject
) -> None:
    text = f"{value:,.{decimals}f}"
    assert parse_written(text).matches(value)
    places = [index for index, character in enumerate(text) if character.isdigit()]
    place = data.draw(st.sampled_from(places))
    changed = f"{text[:place]}{digit}{text[place + 1 :]}"
    assert parse_written(changed).matches(value) == (changed == text)
