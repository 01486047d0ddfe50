"""The rule against torch, brute force and the known bits per weight."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from snippets.quantization import dequantize, group_scales, quantize, relative_error, share_at_zero
from snippets.quantized_size import (
    bits_per_weight,
    largest_level,
    normal_share_at_zero,
)

few_bits = st.integers(2, 8)
weight_arrays = arrays.arrays(
    np.float64, st.sampled_from([32, 64, 96]), elements=st.floats(-4, 4, width=32)
)


def restore(weights: np.ndarray, *, bits: int, group: int) -> tuple[np.ndarray, np.ndarray]:
    scales = group_scales(weights, bits=bits, group=group)
    levels = quantize(weights, scales, bits=bits)
    return levels, dequantize(levels, scales)


@pytest.mark.parametrize(
    ("bits", "error", "zeros"), [(8, "0.006", "0%"), (4, "0.100", "19%"), (2, "0.792", "84%")]
)
def test_the_lessons_32_weights(bits: int, error: str, zeros: str) -> None:
    weights = np.random.default_rng(0).normal(0, 0.02, 32)
    levels, restored = restore(weights, bits=bits, group=32)
    assert f"{relative_error(weights, restored):.3f}" == error
    assert f"{share_at_zero(levels):.0%}" == zeros


def by_hand(weights: np.ndarray, *, bits: int, group: int) -> np.ndarray:
    """The rule one weight at a time, in plain Python."""
    top = 2 ** (bits - 1) - 1
    restored = []
    for start in range(0, len(weights), group):
        members = [float(w) for w in weights[start : start + group]]
        scale = float(np.float16(max(abs(w) for w in members) / top))
        for w in members:
            q = max(-top, min(top, round(w / scale))) if scale > 0 else 0
            restored.append(float(np.float32(q) * np.float32(scale)))
    return np.array(restored)


@given(weights=weight_arrays, bits=few_bits)
def test_the_rule_weight_by_weight(weights: np.ndarray, bits: int) -> None:
    _, restored = restore(weights, bits=bits, group=32)
    assert (restored.ravel() == by_hand(weights, bits=bits, group=32)).all()


@given(weights=weight_arrays, bits=few_bits)
def test_the_rule_in_torch(weights: np.ndarray, bits: int) -> None:
    tensor = torch.tensor(weights).view(-1, 32)
    top = 2 ** (bits - 1) - 1
    scale = (tensor.abs().amax(dim=1, keepdim=True) / top).half()
    divisor = torch.where(scale > 0, scale.double(), torch.inf)
    levels = (tensor / divisor).round().clamp(-top, top)
    found = quantize(weights, group_scales(weights, bits=bits, group=32), bits=bits)
    assert (found == levels.numpy()).all()


@given(weights=weight_arrays, bits=few_bits)
def test_no_weight_moves_much_further_than_half_a_step(weights: np.ndarray, bits: int) -> None:
    levels, restored = restore(weights, bits=bits, group=32)
    assert np.abs(levels).max() <= largest_level(bits)
    scales = group_scales(weights, bits=bits, group=32).astype(float)
    moved = np.abs(weights.reshape(-1, 32) - restored)
    # Clipping adds what FP16 takes from the scale: half a unit in its last place per level.
    rounding = largest_level(bits) * np.maximum(scales * 2**-11, 2**-25)
    assert (moved <= scales / 2 + rounding + 1e-12).all()


@given(weights=weight_arrays)
def test_more_bits_never_err_more_by_much(weights: np.ndarray) -> None:
    if np.abs(weights).max() < 1e-2:
        return
    errors = [
        relative_error(weights, restore(weights, bits=bits, group=32)[1]) for bits in (2, 4, 8)
    ]
    assert errors[2] <= errors[1] + 0.02
    assert errors[1] <= errors[0] + 0.02


def test_one_scale_per_matrix_is_a_group_of_all() -> None:
    weights = np.random.default_rng(1).normal(size=(8, 32))
    scales = group_scales(weights, bits=4, group=weights.size)
    assert scales.shape == (1, 1)
    assert scales[0, 0] == np.float16(np.abs(weights).max() / 7)


def test_shapes_and_types_of_what_is_stored() -> None:
    weights = np.random.default_rng(1).normal(size=(6, 64)).astype(np.float32)
    scales = group_scales(weights, bits=4, group=32)
    levels = quantize(weights, scales, bits=4)
    assert (scales.shape, scales.dtype) == ((12, 1), np.float16)
    assert (levels.shape, levels.dtype) == ((12, 32), np.int8)
    assert dequantize(levels, scales).dtype == np.float32


def test_bits_per_weight_are_what_the_arrays_hold() -> None:
    weights = np.random.default_rng(2).normal(size=4096)
    scales = group_scales(weights, bits=4, group=32)
    packed_bytes = quantize(weights, scales, bits=4).size / 2
    assert (packed_bytes + scales.nbytes) * 8 / weights.size == bits_per_weight(4, 32)


@pytest.mark.parametrize(("deviations", "bits"), [(2.5, 4), (13, 4), (5, 3), (13, 8)])
def test_share_of_normal_weights_at_zero(deviations: float, bits: int) -> None:
    weights = np.random.default_rng(3).normal(size=200_000)
    weights[np.abs(weights) > deviations] = 0.5 * deviations
    weights[0] = deviations
    levels, _ = restore(weights, bits=bits, group=weights.size)
    assert share_at_zero(levels) == pytest.approx(normal_share_at_zero(deviations, bits), abs=0.01)


def test_an_outlier_of_13_deviations_sends_two_thirds_to_zero() -> None:
    assert normal_share_at_zero(13, 4) == pytest.approx(2 / 3, abs=0.02)
    assert normal_share_at_zero(13, 4) == pytest.approx(math.erf(13 / 14 / math.sqrt(2)))
