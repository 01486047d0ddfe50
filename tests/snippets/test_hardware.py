"""Each card's figures against the words of the places where they were read."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from snippets import hardware
from snippets.hardware import (
    ACCELERATORS,
    UNITS,
    _read_accelerators,
    _read_rows,
    _worked,
    slug_of,
)
from snippets.readings import count_readings
from snippets.sources import AGREE, READINGS

FACTORS = {"2", "8", "1000", "1024"}  # both directions, sparsity, GPUs of a server, bits, prefixes


def test_a_reading_is_made_of_what_its_words_say() -> None:
    for place, row in _read_rows("readings.csv"):
        said = re.sub(r"(?<=\d),(?=\d{3})", "", row["words"])
        numbers = {float(number.rstrip(".")) for number in re.findall(r"\d[\d.]*", said)}
        numbers |= {1000 * number for number in numbers}  # TB/s beside GB/s
        first, *factors = row["value"].split()[::2]
        assert float(first) in numbers, (place, row)
        assert all(float(each) in numbers or each in FACTORS for each in factors), (place, row)
        assert re.fullmatch(r"(\d{4}-\d\d-\d\d)?", row["read"]), place


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


GiB = 2**30

# What drivers call cards, from the list of NVIDIA's open kernel modules, ROCm and macOS.
DRIVER_NAMES = {
    "NVIDIA A100-PCIE-40GB": "a100-40gb-pcie",
    "NVIDIA A100-SXM4-40GB": "a100-40gb-sxm",
    "NVIDIA A100 80GB PCIe": "a100-80gb-pcie",
    "A100-SXM4-80GB": "a100-80gb-sxm",  # as older drivers say
    "NVIDIA A10G": "a10g",
    "NVIDIA A30": "a30",
    "NVIDIA A40": "a40",
    "NVIDIA B200": "b200-sxm",
    "NVIDIA B300 SXM6 AC": "b300-sxm",
    "NVIDIA GB200": "gb200",
    "NVIDIA GB300": "gb300",
    "NVIDIA GH200 480GB": "gh200-96gb",
    "NVIDIA GH200 144G HBM3e": "gh200-144gb",
    "NVIDIA H100 80GB HBM3": "h100-sxm",
    "NVIDIA H100 NVL": "h100-nvl",
    "NVIDIA H100 PCIe": "h100-pcie",
    "NVIDIA H200": "h200-sxm",
    "NVIDIA H200 NVL": "h200-nvl",
    "NVIDIA H800": "h800-sxm",
    "NVIDIA L4": "l4",
    "NVIDIA L40": "l40",
    "NVIDIA L40S": "l40s",
    "Tesla T4": "t4",
    "Tesla V100-PCIE-16GB": "v100-pcie-16gb",
    "Tesla V100-PCIE-32GB": "v100-pcie-32gb",
    "Tesla V100-SXM2-16GB": "v100-sxm-16gb",
    "Tesla V100-SXM2-32GB": "v100-sxm",
    "NVIDIA TITAN RTX": "titan-rtx",
    "Quadro RTX 6000": "quadro-rtx-6000",
    "NVIDIA RTX A6000": "rtx-a6000",
    "NVIDIA RTX 6000 Ada Generation": "rtx-6000-ada",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "rtx-pro-6000",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "rtx-pro-6000-server",
    "NVIDIA GeForce RTX 2080 Ti": "rtx-2080-ti",
    "NVIDIA GeForce RTX 3060": "rtx-3060",
    "NVIDIA GeForce RTX 3060 Laptop GPU": "rtx-3060-laptop",
    "NVIDIA GeForce RTX 3070 Ti": "rtx-3070-ti",
    "NVIDIA GeForce RTX 4070 Ti SUPER": "rtx-4070-ti-super",
    "NVIDIA GeForce RTX 4090 D": "rtx-4090-d",
    "NVIDIA GeForce RTX 4090 Laptop GPU": "rtx-4090-laptop",
    "NVIDIA GeForce RTX 5070 Ti": "rtx-5070-ti",
    "GeForce RTX 3090": "rtx-3090",
    "AMD Instinct MI300X": "mi300x",
    "AMD Radeon RX 7900 XTX": "rx-7900-xtx",
    "Apple M4 Max": "m4-max",
}
TOLD_APART = [  # by their memory in GiB, as the driver has it
    ("NVIDIA GeForce RTX 2060", 11.6, "rtx-2060-12gb"),
    ("NVIDIA GeForce RTX 3060", 7.8, "rtx-3060-8gb"),
    ("NVIDIA GeForce RTX 3080", 9.8, "rtx-3080-10gb"),
    ("NVIDIA GeForce RTX 4060 Ti", 15.6, "rtx-4060-ti-16gb"),
]


def test_a_card_is_found_by_what_its_driver_calls_it() -> None:
    assert {name: slug_of(name) for name in DRIVER_NAMES} == DRIVER_NAMES
    for name, memory, slug in TOLD_APART:
        assert slug_of(name, round(memory * GiB)) == slug


@pytest.mark.parametrize("name", ["", "NVIDIA Rubin", "NVIDIA GeForce GTX 1080", "A1000"])
def test_a_card_without_a_row_is_refused_with_how_to_add_it(name: str) -> None:
    with pytest.raises(ValueError, match=r"add a row to docs/data/hardware/cards\.csv"):
        slug_of(name)


def test_usable_memory_as_drivers_report_it() -> None:
    """In GiB, all totals that were read: CUDA's, and nvidia-smi's."""
    totals = {
        slug: {round(each.value / GiB, 2) for each in (source, *source.others) if each.value}
        for slug, card in ACCELERATORS.items()
        if (source := card.sources.get("usable_memory"))
    }
    assert totals["t4"] == {14.56, 15.0}
    assert totals["a10"] == totals["l4"] == {22.49}
    assert totals["l40s"] == {44.99}
    assert totals["m2-ultra"] == {144}  # of 192: what Metal recommends
    assert all(139 < total < 140.5 for total in totals.get("h200-sxm", ()))
    for slug, card in ACCELERATORS.items():
        assert 0.6 * card.memory < (card.usable_memory or card.memory) <= card.memory, slug
