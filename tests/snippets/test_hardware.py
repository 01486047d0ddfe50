"""Each card's figures against the words of the places where they were read."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from snippets import hardware
from snippets.hardware import ACCELERATORS, UNITS, _read_accelerators, _read_rows, _worked
from snippets.readings import count_readings
from snippets.sources import AGREE, READINGS

READ = [(place.partition(", ")[2], row) for place, row in _read_rows("readings.csv")]
FACTORS = {"2", "8", "1000", "1024"}  # both directions, sparsity, GPUs of a server, bits, prefixes


@pytest.mark.parametrize(("line", "row"), READ, ids=[line for line, _ in READ])
def test_a_reading_is_made_of_what_its_words_say(line: str, row: dict[str, str]) -> None:
    said = re.sub(r"(?<=\d),(?=\d{3})", "", row["words"])
    numbers = {number.rstrip(".") for number in re.findall(r"\d[\d.]*", said)}
    same = {str(float(number)) for number in numbers}
    same |= {str(float(number) * 1000) for number in numbers}  # TB/s beside GB/s
    made_of = row["value"].split()[::2]
    assert float(made_of[0]) in {*map(float, same)}, row
    assert all(str(float(factor)) in same or factor in FACTORS for factor in made_of), row
    assert re.fullmatch(r"(\d{4}-\d\d-\d\d)?", row["read"])


@pytest.mark.parametrize("slug", ACCELERATORS)
def test_each_figure_is_what_its_first_reading_says(slug: str) -> None:
    card = ACCELERATORS[slug]
    assert {figure for figure in UNITS if getattr(card, figure) is not None} == set(card.sources)
    for figure, source in card.sources.items():
        assert source.value == pytest.approx(getattr(card, figure), rel=AGREE)
        assert source.title
        assert source.url.startswith("https://")


@pytest.mark.parametrize("slug", ACCELERATORS)
def test_no_sparse_figure_stands_in_a_dense_column(slug: str) -> None:
    """Halving the width at most doubles the dense rate, within datasheets' rounding."""
    card = ACCELERATORS[slug]
    sixteen = card.dense_bf16 or card.dense_fp16
    if sixteen and card.dense_fp8:
        assert card.dense_fp8 / sixteen < 2.05
    eight = card.dense_int8 or card.dense_fp8  # GeForce's FP8 is halved by FP32 accumulation
    if eight and card.dense_fp4:  # three times where its datasheet says so: Blackwell Ultra
        assert card.dense_fp4 / eight < (3.2 if "B300" in card.name else 2.05)


def test_what_values_are_made_of() -> None:
    assert _worked("64 * 1000 / 8") == 8000
    for text in ("2 +", "2 + 2", "x", "1 / 0", "1 2"):
        with pytest.raises((ArithmeticError, ValueError)):
            _worked(text)


def test_each_card_is_an_object_of_its_name() -> None:
    assert len({card.name for card in ACCELERATORS.values()}) == len(ACCELERATORS)
    for slug, card in ACCELERATORS.items():
        assert getattr(hardware, slug.replace("-", "_")) is card
    with pytest.raises(AttributeError, match=r"cards\.csv has all"):
        hardware.h101_sxm  # noqa: B018


def test_readings_are_counted() -> None:
    counts = [count_readings(ACCELERATORS, each) for each in READINGS]
    assert (
        sum(counts)
        == count_readings(ACCELERATORS)
        == sum(len(card.sources) for card in ACCELERATORS.values())
    )


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("cards.csv", lambda text: text + "x1,A card,,80,81000,1\n", "cards.csv, line .* cells"),
        ("cards.csv", lambda text: text.replace("h100-sxm,", "h101,"), "say in readings.csv where"),
        ("readings.csv", lambda text: text.replace("1979 / 2", "1979 : 2"), "line .*neither"),
        ("readings.csv", lambda text: text.replace("h100-page", "h100-pape"), "add its document"),
        ("readings.csv", lambda text: text + "h100-sxm,dense_fp4,1,h100-page,,1\n", "lacks"),
    ],
)
def test_a_wrong_row_is_refused_with_its_place(
    file: str,
    change: Callable[[str], str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for each in hardware.DATA.iterdir():
        text = each.read_text(encoding="utf-8")
        (tmp_path / each.name).write_text(change(text) if each.name == file else text)
    monkeypatch.setattr(hardware, "DATA", tmp_path)
    with pytest.raises(ValueError, match=message):
        _read_accelerators()
