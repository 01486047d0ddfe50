"""What the chapters' programs print, where a fact is known; and that all of them stay small."""

import contextlib
import io
import re
import runpy
import statistics
from pathlib import Path

import pytest

import snippets.examples

EXAMPLES = sorted(
    path
    for path in Path(snippets.examples.__file__).parent.glob("*.py")
    if path.name != "__init__.py"
)

FACTS = {
    "weight_memory": ["FP32: 280 GB", "FP16: 140 GB", "INT8: 70 GB", "INT4: 35 GB"],
    "range_and_digits": ["FP32: 7.2 digits", "FP16: 3.3 digits, largest 65504", "BF16: 2.4"],
    "master_copy": ["FP16 weight alone: 0.7500", "FP32 master copy:  0.8500"],
    "vanishing_update": ["weight 1.0000: kept from 2.002", "weight 1.9990: kept from 1.000"],
    "underflow": ["FP16: 0\n", "BF16: 2.002e-08"],
    "sixteen_bytes": ["bytes per parameter: 16", "70B parameters: 1120 GB"],
    "conventions": ["16 bytes: 16-bit", "18 bytes: 16-bit", "20 bytes: 16-bit", "16 bytes: FP32"],
    "activations_by_term": ["34 sbh  together", "5 as^2b  more"],
    "activation_memory": ["97.0 GiB", "17.0 GiB", "1.0 GiB"],
    "zero_stages": ["120.0 GB", "31.4 GB", "16.6 GB", "1.9 GB"],
    "decode_step": ["one step reads 16 GB in 4.78 ms: 209 tokens/s"],
    "kv_cache_growth": ["4096 tokens: 2.0000 GiB"],
    "training_gpus": ["128 data = 16384", "8 data = 16384"],
    "bubble": ["16 stages, 64 micro-batches: 19% idle"],
    "schedule": ["stage 2:  . F1 F2"],
    "server_fit": [
        "BF16 on 8 GPUs: 810 GB into 687 GB: does not fit",
        "BF16 on 16 GPUs: 810 GB into 1374 GB: fits",
        "FP8 E4M3 on 8 GPUs: 405 GB into 687 GB: fits",
    ],
    "group_quantization": [
        "8 bits: relative error 0.006, weights at zero 0%",
        "4 bits: relative error 0.100, weights at zero 19%",
        "2 bits: relative error 0.792, weights at zero 84%",
    ],
    "bits_per_weight": ["4 bits, groups of 32: 4.5 bits per weight, 39.375 GB"],
    "one_outlier": ["one scale per matrix: 64.83%"],
    # 0.1 as struct packs it; the patterns of the standard; 512 lies between numbers at 90,000 in BF16.
    "bit_fields": ["sign 0, exponent 01011, mantissa 1001100110", "x 2^-4 = 0.09997559"],
    "every_half": [
        "65,536 patterns, 63,488 finite",
        "largest 65504, smallest 5.96e-08",
        "below 1: 48%",
    ],
    "overflow": ["FP16: inf\nBF16: 90112\n"],
    "card_fit": [
        "8,030,261,248 parameters",  # the tensors of the published checkpoint
        "BF16: 16.1 GB, leaves -3.2 GB",
        "INT8: 8.0 GB, leaves +4.9 GB",
        "INT4: 4.0 GB, leaves +8.9 GB",
    ],
    "integer_scale": ["rounded:   [0 0 0 0]"],
    "round_to_nearest": ["integers from -7 to 4", "as in snippets.quantization: True"],
    "split_mlp": ["their sum is the whole result: True"],
    "fit_by_format": ["BF16: 14.96 GiB", "-4.85 left", "INT4, groups of 32: 5.61 GiB"],
    "served_conversations": ["48 at once: 5.0 GiB", "65.8 in all: fits", "does not fit"],
    "training_fit": ["ZeRO-1: activations 41.0 GiB", "ZeRO-3: activations 41.0 GiB"],
    "expected_zeros": ["13 standard deviations: 65%"],
}


def run(path: Path) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue()


@pytest.mark.parametrize("name", FACTS)
def test_an_example_prints_what_is_known(name: str) -> None:
    printed = run(next(path for path in EXAMPLES if path.stem == name))
    for fact in FACTS[name]:
        assert fact in printed


def test_every_example_stands_in_a_page() -> None:
    pages = "".join(
        path.read_text(encoding="utf-8")
        for path in (Path(__file__).parents[2] / "docs").rglob("*.md")
    )
    assert [p.name for p in EXAMPLES if f"snippets/examples/{p.name}" not in pages] == []


def test_the_step_of_a_format_predicts_its_error() -> None:
    (path,) = (path for path in EXAMPLES if path.stem == "error_per_bit")
    for line in run(path).splitlines():
        predicted, found = map(float, re.findall(r"0\.\d+", line))
        assert found == pytest.approx(predicted, rel=0.06)


def test_examples_stay_small() -> None:
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in EXAMPLES]
    assert statistics.median(lengths) <= 15
