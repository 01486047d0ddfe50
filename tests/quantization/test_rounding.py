"""The rule on whole matrices equals the plain rule, and what other libraries compute."""

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from scripts.core.faults import BadInput
from scripts.quantization import rounding
from scripts.quantization.rounding import (
    GRANULARITIES,
    PER_GROUP_32,
    PER_GROUP_128,
    PER_MATRIX,
    PER_ROW,
    Granularity,
    round_to_nearest_,
)
from snippets.quantization import dequantize, group_scales, quantize
from snippets.quantized_size import largest_level

BITS = (8, 6, 5, 4, 3, 2)
EVERY = (16, 8, 4, 2)
SHAPES = ((48, 256), (3, 128), (1, 384), (700, 512))


def rounded(matrix: torch.Tensor, bits: int, granularity: Granularity) -> torch.Tensor:
    target = torch.full_like(matrix, 7.0)
    round_to_nearest_(target, matrix, bits=bits, granularity=granularity, name="matrix")
    return target


def plain(matrix: torch.Tensor, bits: int, size: int) -> torch.Tensor:
    """The snippet's rule in FP64, where no division of these weights is ever rounded to a tie."""
    wide = matrix.double().numpy()
    scales = group_scales(matrix.float().numpy(), bits=bits, group=size)
    levels = quantize(wide, scales, bits=bits)
    return torch.from_numpy(dequantize(levels, scales)).view(matrix.shape)


def normal(shape: tuple[int, int], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(shape[0])
    return torch.randn(shape, generator=generator).mul_(0.02).to(dtype)


def sized(granularity: Granularity, shape: tuple[int, int]) -> int:
    return granularity.group_size(torch.empty(shape), name="matrix")


@pytest.fixture(params=["compiled", "torch"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of rounding FP32, one after the other."""
    if request.param == "torch":
        monkeypatch.setattr(rounding, "library", lambda source: None)
    elif rounding.library(rounding.SOURCE) is None:
        pytest.skip("there is no C compiler")
    return str(request.param)


@pytest.mark.parametrize("granularity", GRANULARITIES, ids=lambda g: g.name)
@pytest.mark.parametrize(
    ("way", "dtype"),
    [
        ("compiled", torch.float32),
        ("torch", torch.float32),
        ("torch", torch.float16),
        ("torch", torch.bfloat16),
    ],
    indirect=["way"],
)
def test_equals_the_plain_rule_bit_for_bit(
    way: str, granularity: Granularity, dtype: torch.dtype
) -> None:
    for bits, shape in itertools.product(BITS, SHAPES):
        matrix = normal(shape, dtype)
        expected = plain(matrix, bits, sized(granularity, shape))
        assert torch.equal(rounded(matrix, bits, granularity), expected.to(dtype)), (bits, shape)


@pytest.mark.parametrize("granularity", GRANULARITIES, ids=lambda g: g.name)
def test_the_compiled_program_leaves_the_same_bits(
    granularity: Granularity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signs of zeros and scales below FP16's normal numbers included; with threads and without."""
    if rounding.library(rounding.SOURCE) is None:
        pytest.skip("there is no C compiler")
    monkeypatch.setattr(rounding, "THREAD_WEIGHTS", 2**16)
    for power in (0, -7, -14, -20, -30, 6):
        matrix = normal((700, 512)) * 2.0**power
        matrix[::3] *= 2.0 ** torch.arange(512).remainder(9)
        found = [rounded(matrix, bits, granularity) for bits in EVERY]
        with monkeypatch.context() as patched:
            patched.setattr(rounding, "library", lambda source: None)
            expected = [rounded(matrix, bits, granularity) for bits in EVERY]
        for ours, theirs in zip(found, expected, strict=True):
            assert torch.equal(ours.view(torch.int32), theirs.view(torch.int32)), power


@pytest.mark.parametrize("granularity", GRANULARITIES, ids=lambda g: g.name)
def test_chunks_change_nothing(granularity: Granularity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding, "library", lambda source: None)
    matrix = normal((700, 512))
    whole = rounded(matrix, 4, granularity)
    for chunk in (2**10, 2**13 + 5):
        monkeypatch.setattr(rounding, "CHUNK_WEIGHTS", chunk)
        assert torch.equal(rounded(matrix, 4, granularity), whole)


def test_the_target_may_be_narrower_than_the_source() -> None:
    matrix = normal((48, 256))
    target = torch.empty_like(matrix, dtype=torch.float16)
    round_to_nearest_(target, matrix, bits=4, granularity=PER_ROW, name="matrix")
    assert torch.equal(target, rounded(matrix, 4, PER_ROW).half())


def torchao_scales_and_rounded(
    matrix: torch.Tensor, bits: int, granularity: Granularity
) -> tuple[torch.Tensor, torch.Tensor]:
    from torchao.quantization.quant_primitives import (
        MappingType,
        choose_qparams_affine,
        dequantize_affine,
        quantize_affine,
    )

    level = largest_level(bits)
    block = {
        "per_row": (1, matrix.shape[1]),
        "per_matrix": tuple(matrix.shape),
    }.get(granularity.name, (1, granularity.group))
    limits: dict[str, Any] = {"quant_min": -level, "quant_max": level}
    scales, zeros = choose_qparams_affine(
        matrix,
        MappingType.SYMMETRIC,
        block,
        torch.int8,
        **limits,
        eps=0.0,
        scale_dtype=torch.float16,
    )
    # Its reciprocal of an FP16 scale would itself be rounded to FP16.
    wide = scales.float()
    levels = quantize_affine(matrix, block, wide, zeros, torch.int8, **limits)
    return scales, dequantize_affine(levels, block, wide, zeros, torch.int8, **limits)


@pytest.mark.parametrize("granularity", GRANULARITIES, ids=lambda g: g.name)
@pytest.mark.parametrize("bits", BITS)
def test_equals_torchao_but_for_ties(bits: int, granularity: Granularity) -> None:
    """torchao multiplies by a rounded reciprocal, which moves a weight halfway between two levels."""
    matrix = normal((512, 512), torch.float16).float()
    scales, theirs = torchao_scales_and_rounded(matrix, bits, granularity)
    ours = rounded(matrix, bits, granularity)
    size = sized(granularity, (512, 512))
    expected = group_scales(matrix.numpy(), bits=bits, group=size)
    assert np.array_equal(scales.numpy().ravel(), expected.ravel())
    differs = (ours != theirs).view(-1, size)
    steps = scales.double().view(-1, 1).expand(-1, size)[differs]
    marks = matrix.double().view(-1, size)[differs] / steps
    assert torch.allclose(marks - marks.floor(), torch.full_like(marks, 0.5), atol=1e-5)
    assert differs.sum() <= differs.numel() / 10_000


@pytest.mark.parametrize("bits", BITS)
def test_equals_fake_quantization_of_torch_but_for_ties(bits: int) -> None:
    matrix = normal((2048, 2048))
    level = largest_level(bits)
    groups = matrix.view(-1, 32)
    scales = torch.from_numpy(group_scales(matrix.numpy(), bits=bits, group=32)).float().view(-1)
    zeros = torch.zeros_like(scales, dtype=torch.int32)
    theirs = torch.fake_quantize_per_channel_affine(groups, scales, zeros, 0, -level, level)
    differs = theirs != rounded(matrix, bits, PER_GROUP_32).view(-1, 32)
    marks = groups.double()[differs] / scales.double().view(-1, 1).expand(-1, 32)[differs]
    assert torch.allclose(marks - marks.floor(), torch.full_like(marks, 0.5), atol=1e-5)
    assert differs.sum() <= 20


def test_q8_0_of_gguf_has_the_same_scales_and_nearly_the_same_levels() -> None:
    """llama.cpp divides by the scale before it rounds the scale to FP16: its own convention."""
    import gguf

    matrix = normal((64, 256))
    blocks = gguf.quants.quantize(matrix.numpy(), gguf.GGMLQuantizationType.Q8_0)
    blocks = blocks.reshape(-1, 34)
    scales = blocks[:, :2].copy().view(np.float16)
    assert np.array_equal(scales, group_scales(matrix.numpy(), bits=8, group=32))
    levels = blocks[:, 2:].view(np.int8)
    steps = (np.abs(matrix.numpy().reshape(-1, 32)).max(axis=1, keepdims=True) / 127).astype("f4")
    assert np.array_equal(levels, np.round(matrix.numpy().reshape(-1, 32) / steps))
    ours = rounded(matrix, 8, PER_GROUP_32).view(-1, 32).numpy() / scales.astype("f4")
    assert np.abs(ours - levels).max() < 1.01
    assert (np.abs(ours - levels) > 0.5).mean() < 0.03


@pytest.mark.parametrize("granularity", GRANULARITIES, ids=lambda g: g.name)
@pytest.mark.parametrize("bits", BITS)
def test_odd_matrices(way: str, bits: int, granularity: Granularity) -> None:
    shape = (4, 128)
    zero = torch.zeros(shape)
    assert torch.equal(rounded(zero, bits, granularity), zero)
    denormal = torch.full(shape, 2.0**-40)  # its scale is below FP16's smallest number
    assert torch.equal(rounded(denormal, bits, granularity), zero)
    level = largest_level(bits)
    constant = torch.full(shape, 0.75 * level)
    assert torch.equal(rounded(constant, bits, granularity), constant)
    huge = torch.full(shape, 65504.0)
    scale = torch.tensor(65504.0 / level).half().float()
    assert torch.equal(rounded(huge, bits, granularity), torch.full(shape, float(scale * level)))
    # A subnormal scale is far from max|w| / level: the level must be clipped.
    tiny = normal(shape) * 1e-4
    assert torch.equal(
        rounded(tiny, bits, granularity), plain(tiny, bits, sized(granularity, shape))
    )


@pytest.mark.parametrize("granularity", GRANULARITIES, ids=lambda g: g.name)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_by_name(
    way: str, granularity: Granularity, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounding, "CHUNK_WEIGHTS", 2**12)
    matrix = normal((48, 256))
    matrix[31, 77] = value
    with pytest.raises(BadInput, match=r"layers\.3\.mlp: cannot be quantized.*NaN or infinity"):
        round_to_nearest_(
            matrix.clone(), matrix, bits=4, granularity=granularity, name="layers.3.mlp"
        )


def test_a_scale_beyond_fp16_is_refused(way: str) -> None:
    with pytest.raises(BadInput, match="infinite scales"):
        rounded(torch.full((1, 128), 1e6), 4, PER_MATRIX)


def test_groups_must_divide_the_rows() -> None:
    matrix = normal((4, 192))
    rounded(matrix, 4, PER_GROUP_32)
    with pytest.raises(BadInput, match="rows of 192 weights do not divide into groups of 128"):
        rounded(matrix, 4, PER_GROUP_128)
