"""Each accelerator's figure against the words of its datasheet that stand beside it."""

import re
from dataclasses import fields

import pytest

from snippets.hardware import ACCELERATORS, Accelerator, b200_sxm, rtx_3060, tpu_v4, v100_sxm
from snippets.hardware.accelerator import GiB

FIGURES = [field.name for field in fields(Accelerator) if field.name not in ("name", "sources")]
SCALES = {"T": 1e12, "t": 1e12, "P": 1e15, "G": 1e9, "": 1.0}

# Where the words give factors to multiply, worked by hand.
WORKED = {
    ("b200-sxm", "memory_bandwidth"): 64e12 / 8,
    ("b200-sxm", "dense_fp16"): 72e15 / 8 / 2 / 2,
    ("b200-sxm", "dense_bf16"): 72e15 / 8 / 2 / 2,
    ("b200-sxm", "dense_fp8"): 72e15 / 8 / 2,
    ("b200-sxm", "dense_fp4"): 144e15 / 8 / 2,
    ("b200-sxm", "link_bandwidth"): 14.4e12 / 8 / 2,
    ("epyc-9654", "memory_bandwidth"): 12 * 4800e6 * 8,
    ("epyc-9654", "dense_fp32"): 96 * 2.4e9 * 32,
    ("epyc-9654", "dense_bf16"): 96 * 2.4e9 * 64,
    ("xeon-8480", "memory_bandwidth"): 8 * 4800e6 * 8,
    ("xeon-8480", "dense_fp32"): 56 * 2e9 * 64,
    ("xeon-8480", "dense_bf16"): 56 * 2e9 * 2048,
    ("xeon-8480", "dense_int8"): 56 * 2e9 * 4096,
    ("gaudi-3", "link_bandwidth"): 24 * 200e9 / 8,
    ("mi300x", "link_bandwidth"): 7 * 128e9 / 2,
    ("mi325x", "link_bandwidth"): 7 * 128e9 / 2,
    ("mi355x", "link_bandwidth"): 7 * 153.6e9 / 2,
    ("rtx-3060", "memory_bandwidth"): 192 * 15e9 / 8,
    ("rtx-3060", "dense_fp32"): 3584 * 1.777e9 * 2,
    ("rtx-3060", "dense_tf32"): 112 * 1.777e9 * 64,
    ("rtx-3060", "dense_fp16"): 112 * 1.777e9 * 128,
    ("rtx-3060", "dense_bf16"): 112 * 1.777e9 * 128,
    ("rtx-3060", "dense_int8"): 112 * 1.777e9 * 512,
    ("tpu-v4", "link_bandwidth"): 6 * 50e9,
}
READ = [
    (slug, figure)
    for slug, device in ACCELERATORS.items()
    for figure in FIGURES
    if figure != "memory" and getattr(device, figure) is not None
]


def values(words: str) -> list[float]:
    """Every value that the words can mean, in base units."""
    halved = "dense is half" in words or "both directions" in words or "bidirectional" in words
    found = re.findall(r"([\d,.]*\d)\+? ?([TtPG]?)", words)
    return [
        float(number.replace(",", "")) * SCALES[scale] / (2 if halved else 1)
        for number, scale in found
    ]


@pytest.mark.parametrize(("slug", "figure"), READ)
def test_a_figure_is_what_its_source_says(slug: str, figure: str) -> None:
    device = ACCELERATORS[slug]
    words = device.sources[figure].section.split(": ", 1)[1]
    expected = [WORKED[slug, figure]] if (slug, figure) in WORKED else values(words)
    value = getattr(device, figure)
    assert any(abs(value - each) <= 0.004 * value for each in expected), (value, words)


@pytest.mark.parametrize("slug", ACCELERATORS)
def test_memory_is_that_many_gib(slug: str) -> None:
    device = ACCELERATORS[slug]
    gib = device.memory / GiB
    if device is b200_sxm:
        assert gib == 1440 / 8
    elif "channels" in device.sources["memory"].section:
        assert gib == 64 * int(re.findall(r"(\d+) channels", device.sources["memory"].section)[0])
    else:
        said = re.findall(r"([\d,]+) ?([MG])i?B", device.sources["memory"].section.split(": ")[1])
        assert gib in [int(n.replace(",", "")) / {"M": 1024, "G": 1}[u] for n, u in said]


@pytest.mark.parametrize("slug", ACCELERATORS)
def test_every_figure_has_a_source_and_no_source_lacks_a_figure(slug: str) -> None:
    device = ACCELERATORS[slug]
    present = {figure for figure in FIGURES if getattr(device, figure) is not None}
    assert set(device.sources) == present
    for source in device.sources.values():
        assert source.title
        assert source.url.startswith("https://")
        assert re.fullmatch(r"(\d{4}-\d\d-\d\d)?", source.read)  # "": entered from memory


def test_figures_from_memory_are_told_apart_from_figures_that_were_read() -> None:
    assert {source.read for source in rtx_3060.sources.values()} == {""}
    assert "" not in {source.read for source in v100_sxm.sources.values()}
    assert tpu_v4.sources["memory"].read
    assert not tpu_v4.sources["link_bandwidth"].read


@pytest.mark.parametrize("slug", ACCELERATORS)
def test_no_sparse_figure_stands_in_a_dense_column(slug: str) -> None:
    """Halving the width at most doubles the dense rate, within datasheets' rounding."""
    device = ACCELERATORS[slug]
    sixteen = device.dense_bf16 or device.dense_fp16
    if sixteen and device.dense_fp8:
        assert device.dense_fp8 / sixteen < 2.05
    eight = device.dense_int8 or device.dense_fp8  # GeForce's FP8 is halved by FP32 accumulation
    if eight and device.dense_fp4:
        assert device.dense_fp4 / eight < 2.05


def test_there_are_at_least_25_with_distinct_names() -> None:
    assert len({device.name for device in ACCELERATORS.values()}) >= 25


def test_slugs_are_the_names_of_the_objects() -> None:
    import snippets.hardware as hardware

    assert ACCELERATORS["rtx-3060"] is rtx_3060
    for slug, device in ACCELERATORS.items():
        assert getattr(hardware, slug.replace("-", "_")) is device
