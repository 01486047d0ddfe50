"""Kernels cut into tiles: their results are NumPy's, their counts the formulas', for any shape."""

import random

import numpy as np
import pytest

from snippets import counted_kernels as kernels
from snippets.bandwidth import balance_point
from snippets.hardware import h100_sxm, rtx_3060, t4
from snippets.tiles import (
    attention_elements,
    balanced_block,
    balanced_tile,
    block_that_fits,
    matmul_elements,
    register_bytes,
    shared_bandwidth,
    shared_bytes,
    softmax_elements,
    tile_intensity,
)

SEEDS = pytest.mark.parametrize("seed", range(25))


def counted(memory: kernels.CountedMemory) -> int:
    return memory.loaded + memory.stored


@SEEDS
def test_a_tiled_product_is_the_product_and_moves_what_the_formula_says(seed: int) -> None:
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    rows, columns, inner = (draw.randint(1, 40) for _ in range(3))
    tile = draw.randint(1, 48)
    first, second = numbers.random((rows, inner)), numbers.random((inner, columns))
    memory = kernels.CountedMemory()
    assert np.allclose(kernels.tiled_matmul(first, second, memory, tile=tile), first @ second)
    shape = {"rows": rows, "columns": columns, "inner": inner}
    assert counted(memory) == matmul_elements(**shape, tile=tile)
    assert memory.stored == rows * columns


@SEEDS
@pytest.mark.parametrize("online", [False, True])
def test_softmax_in_passes(seed: int, online: bool) -> None:
    draw = random.Random(seed)
    row = np.random.default_rng(seed).normal(0, 300, draw.randint(1, 90))
    memory = kernels.CountedMemory()
    found = kernels.softmax(row, memory, block=draw.randint(1, 99), online=online)
    powers = np.exp(row - row.max())
    assert np.allclose(found, powers / powers.sum())
    assert counted(memory) == softmax_elements(row.size, merged=online)


@SEEDS
def test_attention_with_and_without_its_scores_in_memory(seed: int) -> None:
    draw = random.Random(seed)
    tokens, width, block = draw.randint(1, 50), draw.randint(1, 20), draw.randint(1, 60)
    given = 20 * np.random.default_rng(seed).standard_normal((3, tokens, width))
    queries, keys, values = given
    scores = queries @ keys.T / np.sqrt(width)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = powers @ values / powers.sum(axis=1, keepdims=True)
    plain, tiled = kernels.CountedMemory(), kernels.CountedMemory()
    assert np.allclose(kernels.attention(queries, keys, values, plain), expected)
    found = kernels.tiled_attention(queries, keys, values, tiled, block=block)
    assert np.allclose(found, expected)
    shape = {"tokens": tokens, "head_dim": width}
    assert counted(plain) == attention_elements(**shape)
    assert counted(tiled) == attention_elements(**shape, block=block)


@SEEDS
def test_four_bit_weights_times_a_vector(seed: int) -> None:
    """Half a byte a weight, two bytes for each group's scale and each element of the vectors."""
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    group, groups, rows = 2 * draw.randint(1, 8), draw.randint(1, 5), draw.randint(1, 9)
    levels = numbers.integers(-8, 8, (rows, group * groups))
    scales = numbers.random((rows, groups))
    vector = numbers.random(group * groups)
    packed = ((levels[:, ::2] + 8) | ((levels[:, 1::2] + 8) << 4)).astype(np.uint8)
    memory = kernels.CountedMemory()
    found = kernels.int4_matvec(packed, scales, vector, memory, group=group)
    assert np.allclose(found, (levels * np.repeat(scales, group, axis=1)) @ vector)
    weights = levels.size // 2 + 2 * scales.size
    assert counted(memory) == weights + 2 * (vector.size + rows)


def test_the_tile_that_a_roofline_asks_for() -> None:
    """An H100's FP16 balance point of 295.2 operations a byte asks for 590 elements."""
    balance = balance_point(h100_sxm.dense_fp16 or 0, h100_sxm.memory_bandwidth)
    assert balanced_tile(balance, 2) == pytest.approx(590.4, abs=0.1)
    assert tile_intensity(balanced_tile(balance, 2), 2) == pytest.approx(balance)
    assert balanced_block(balance, 2) == pytest.approx(balance)
    assert block_that_fits(shared_memory=228 * 1024, head_dim=128, bytes_per_element=2) == 228


def test_what_is_inside_a_card() -> None:
    """132 multiprocessors with 256 KiB of registers and 228 KiB of shared memory each."""
    assert register_bytes(h100_sxm) == 132 * 256 * 1024
    assert shared_bytes(h100_sxm) == 132 * 228 * 1024
    assert shared_bandwidth(h100_sxm) == 132 * 128 * 1.98e9
    assert shared_bytes(rtx_3060) == 28 * 100 * 1024
    with pytest.raises(ValueError, match="nobody has entered"):
        register_bytes(t4)
