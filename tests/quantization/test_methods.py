"""The methods beyond round-to-nearest, against published formats and independent computations."""

import itertools

import ml_dtypes
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torchao.prototype.mx_formats.config import ScaleCalculationMode
from torchao.prototype.mx_formats.mx_tensor import to_dtype, to_mx
from torchao.prototype.mx_formats.nvfp4_tensor import nvfp4_quantize, per_tensor_amax_to_scale
from torchao.quantization.quantize_.workflows.nf4.nf4_tensor import NF4Tensor

from snippets.activation_aware import int8_product, round_awq
from snippets.block_formats import (
    E2M1,
    NF4,
    round_e2m1,
    round_e4m3,
    round_mxfp4,
    round_nf4,
    round_nvfp4,
)
from snippets.gptq import gptq, inverse_factor
from snippets.quantization import dequantize, group_scales, quantize
from snippets.rounding_choices import round_asymmetric, round_clipped


def normal(*shape: int, seed: int = 0, width: float = 0.02) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, width, shape).astype(np.float32)


def nearest(weights: NDArray[np.float32], *, bits: int, group: int) -> NDArray[np.float32]:
    scales = group_scales(weights, bits=bits, group=group)
    return dequantize(quantize(weights, scales, bits=bits), scales).reshape(weights.shape)


def test_e2m1_is_that_of_ml_dtypes() -> None:
    codes = np.arange(8, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    assert tuple(codes) == E2M1
    numbers = np.concatenate([np.arange(-10, 10, 1 / 64), normal(10_000, width=3)])
    expected = np.clip(numbers, -6, 6).astype(ml_dtypes.float4_e2m1fn).astype(np.float32)
    assert np.array_equal(round_e2m1(numbers), expected)


def test_e4m3_is_that_of_ml_dtypes() -> None:
    numbers = np.concatenate(
        [2.0 ** np.arange(-12, 10, 1 / 64), np.arange(0, 0.05, 2.0**-12), normal(10_000, width=90)]
    )
    expected = np.clip(numbers, -448, 448).astype(ml_dtypes.float8_e4m3fn).astype(np.float32)
    assert np.array_equal(round_e4m3(numbers), expected)


def test_nf4_is_that_of_torchao() -> None:
    weights = torch.from_numpy(normal(128, 256))
    theirs = NF4Tensor.from_tensor(weights, block_size=64, scaler_block_size=256)
    assert torch.allclose(theirs.nf4, torch.tensor(NF4), atol=5.1e-5)  # it keeps four decimals
    # torchao rounds the blocks' scales to 8 bits too; the codes are compared under exact ones.
    blocks = weights.view(-1, 64)
    codes = torch.stack([theirs.quantized_data >> 4, theirs.quantized_data & 15], dim=-1).view(-1)
    scales = blocks.abs().amax(dim=1, keepdim=True)
    expected = torch.tensor(NF4)[codes.long()].view(-1, 64) * scales
    differs = expected.numpy() != round_nf4(weights.numpy())
    assert differs.mean() < 1e-3  # ties and near-ties, decided under another scale
    assert np.abs(round_nf4(weights.numpy()) - blocks.numpy()).max() <= 0.16 * float(scales.max())


def test_mxfp4_is_that_of_torchao() -> None:
    weights = normal(64, 256) * np.exp2(np.arange(64.0)[:, None] / 4 - 9).astype(np.float32)
    weights[3, :32] = 0
    wide = torch.from_numpy(weights)
    scales, data = to_mx(wide, torch.float4_e2m1fn_x2, 32, ScaleCalculationMode.FLOOR)
    theirs = to_dtype(data, scales, torch.float4_e2m1fn_x2, 32, torch.float32)
    assert np.array_equal(round_mxfp4(weights).ravel(), theirs.numpy().ravel())


def test_nvfp4_is_that_of_torchao_but_for_ties() -> None:
    weights = normal(64, 256) * np.exp2(np.arange(64.0)[:, None] / 8 - 4).astype(np.float32)
    wide = torch.from_numpy(weights)
    overall = per_tensor_amax_to_scale(wide.abs().max())
    scales, _ = nvfp4_quantize(wide, 16, overall)
    ours = round_nvfp4(weights)
    steps = (scales.float() * overall).view(-1, 1).numpy()
    levels = ours / steps
    assert np.abs(levels - round_e2m1(levels)).max() < 1e-4  # so the scales are the same
    expected = round_e2m1(weights.reshape(-1, 16) / steps) * steps
    assert (np.abs(ours - expected) > 1e-6 * steps).mean() < 1e-4


def test_asymmetric_is_what_torch_does_with_a_zero_point() -> None:
    weights = normal(64, 128) + 0.01
    weights[0, :32] = np.abs(weights[0, :32]) + 0.02
    groups = weights.reshape(-1, 32)
    low, high = np.minimum(groups.min(1), 0), np.maximum(groups.max(1), 0)
    scales = ((high - low) / 15).astype(np.float16).astype(np.float32)
    zeros = np.round(-low / scales).astype(np.int32)
    theirs = torch.fake_quantize_per_channel_affine(
        torch.from_numpy(groups), torch.from_numpy(scales), torch.from_numpy(zeros), 0, 0, 15
    )
    ours = round_asymmetric(weights, bits=4, group=32)
    assert (np.abs(ours - theirs.numpy()) > 1e-6).mean() < 1e-3


def test_asymmetric_beats_symmetric_on_one_sided_weights() -> None:
    weights = np.abs(normal(64, 128))
    ours = round_asymmetric(weights, bits=4, group=32).reshape(weights.shape)
    symmetric = nearest(weights, bits=4, group=32)
    assert np.square(ours - weights).sum() < 0.4 * np.square(symmetric - weights).sum()


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_clipping_never_adds_to_the_error_of_a_group(bits: int) -> None:
    weights = normal(64, 128)
    clipped = np.square(
        round_clipped(weights, bits=bits, group=32, tries=21) - weights.reshape(-1, 32)
    )
    plain = np.square(nearest(weights, bits=bits, group=32) - weights).reshape(-1, 32)
    assert (clipped.sum(axis=1) <= plain.sum(axis=1) + 1e-12).all()
    assert clipped.sum() < 0.98 * plain.sum()


def correlated_inputs(tokens: int, columns: int) -> NDArray[np.float32]:
    mixing = normal(columns, columns, seed=3, width=columns**-0.5)
    sizes = np.exp(normal(columns, seed=4, width=1))
    return (normal(tokens, columns, seed=5, width=1) @ mixing * sizes).astype(np.float32)


def output_error(
    weights: NDArray[np.float32], rounded: NDArray[np.float32], hessian: NDArray[np.float32]
) -> float:
    change = (rounded - weights).astype(np.float64)
    return float(np.sum(change @ hessian * change))


def test_gptq_is_least_squares_column_by_column() -> None:
    """After each rounding, solve anew for the best remaining columns: Frantar et al.'s definition."""
    weights = normal(8, 24)
    hessian = correlated_inputs(200, 24)
    hessian = (hessian.T @ hessian).astype(np.float64)
    damped = hessian + 0.01 * np.diag(hessian).mean() * np.eye(24)
    left, expected = weights.astype(np.float64), np.zeros_like(weights)
    for column in range(24):
        if column % 8 == 0:
            scales = group_scales(left[:, column : column + 8], bits=3, group=8)
        levels = quantize(left[:, column], scales, bits=3)
        expected[:, column] = dequantize(levels, scales)[:, 0]
        rest = np.arange(column + 1, 24)
        error = left[:, column] - expected[:, column]
        if rest.size:
            gain = np.linalg.solve(damped[np.ix_(rest, rest)], damped[rest, column])
            left[:, rest] += np.outer(error, gain)
    assert np.allclose(gptq(weights, hessian, bits=3, group=8), expected, atol=1e-6)


def test_gptq_lowers_the_error_of_the_products() -> None:
    weights = normal(64, 128)
    inputs = correlated_inputs(512, 128)
    hessian = inputs.T @ inputs
    corrected = gptq(weights, hessian, bits=3, group=32)
    plain = nearest(weights, bits=3, group=32)
    assert output_error(weights, corrected, hessian) < 0.8 * output_error(weights, plain, hessian)


def test_gptq_with_independent_inputs_is_round_to_nearest() -> None:
    weights = normal(8, 64)
    assert np.array_equal(
        gptq(weights, np.eye(64), bits=4, group=32), nearest(weights, bits=4, group=32)
    )


def test_inverse_factor_ignores_inputs_that_are_always_zero() -> None:
    hessian = correlated_inputs(50, 8)
    hessian[:, 3] = 0
    hessian = hessian.T @ hessian
    factor = inverse_factor(hessian, damping=0.1)
    assert np.isfinite(factor).all()
    assert np.allclose(np.tril(factor, -1), 0)


def test_awq_lowers_the_error_of_the_products() -> None:
    weights = normal(64, 128)
    inputs = correlated_inputs(512, 128)
    hessian = inputs.T @ inputs
    aware = round_awq(weights, hessian, bits=3, group=32, tries=21)
    plain = nearest(weights, bits=3, group=32)
    assert output_error(weights, aware, hessian) < 0.8 * output_error(weights, plain, hessian)


def test_int8_product_keeps_outlier_columns() -> None:
    inputs, weights = normal(32, 64, width=1), normal(48, 64, seed=1)
    inputs[:, 7] *= 60
    exact = inputs @ weights.T
    errors = {
        threshold: float(np.abs(int8_product(inputs, weights, threshold=threshold) - exact).max())
        for threshold in (6, 1e9)
    }
    assert errors[6] < 0.2 * errors[1e9]
    for token, row in itertools.product(range(3), range(3)):
        few = np.abs(inputs).max(axis=0) < 6
        a, b = inputs[token, few], weights[row, few]
        qa = np.round(a / (np.abs(a).max() / 127)).astype(int)
        qb = np.round(b / (np.abs(b).max() / 127)).astype(int)
        integers = int(qa @ qb) * np.abs(a).max() / 127 * np.abs(b).max() / 127
        found = int8_product(inputs, weights)[token, row]
        assert found == pytest.approx(
            integers + inputs[token, ~few] @ weights[row, ~few], rel=1e-3, abs=1e-5
        )
