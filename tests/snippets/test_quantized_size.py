"""Levels, the known bits per weight, and bytes of real models."""

import pytest

from snippets.quantized_size import bits_per_weight, largest_level, marks, quantized_bytes


def test_marks_on_the_ruler() -> None:
    assert (marks(8), marks(4), marks(2)) == (255, 15, 3)
    for bits in range(2, 9):
        assert marks(bits) == len(range(-largest_level(bits), largest_level(bits) + 1))


@pytest.mark.parametrize(
    ("expected", "bits", "group", "extra"),
    [
        (4.5, 4, 32, {}),
        (4.15625, 4, 128, {"zero_bits": 4}),
        (8.5, 8, 32, {}),  # GGUF Q8_0
        (4.25, 4, 32, {"scale_bits": 8}),  # MXFP4
        (4.5, 4, 64, {"scale_bits": 32}),  # NF4 with an FP32 absmax
    ],
)
def test_known_bits_per_weight(
    expected: float, bits: int, group: int, extra: dict[str, float]
) -> None:
    assert bits_per_weight(bits, group, **extra) == expected


def test_70b_at_four_bits_is_not_35_gb() -> None:
    assert quantized_bytes(70e9, bits_per_weight(4, 32)) == 39.375e9
    assert quantized_bytes(70e9, 4) == 35e9


def test_llama_2_70b_in_q4_0() -> None:
    # llama.cpp: 36.20 GiB for 68.98e9 parameters at 4.5 bits; some tensors take more there.
    assert quantized_bytes(68.98e9, 4.5) / 2**30 == pytest.approx(36.20, rel=3e-3)
