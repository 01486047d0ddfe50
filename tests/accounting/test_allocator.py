"""The replayed CUDA allocator: its documented rules, worked by hand, and invariants."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from scripts.accounting.allocations import Allocation, Event
from scripts.accounting.allocator import (
    CUBLAS_WORKSPACE,
    CachingAllocator,
    replay,
    rounded,
    segment_bytes,
    workspace_bytes,
)
from tests.experiments.measuring import CARD, SERVER

MiB = 2**20


def test_the_workspace_is_the_block_that_users_report() -> None:
    # github.com/pytorch/pytorch/issues/95668: "AssertionError: (8519680, 0)" after one linear layer.
    assert CUBLAS_WORKSPACE == 8519680


@pytest.mark.parametrize(
    ("major", "hip", "expected"),
    [
        (7, None, 8519680),
        (8, None, 8519680),
        (9, None, 32 * MiB),
        (10, None, 32 * MiB),
        (12, None, 32 * MiB),
        (9, "6.4", 32 * MiB),
    ],
)
def test_hopper_and_blackwell_take_a_larger_workspace(
    monkeypatch: pytest.MonkeyPatch, major: int, hip: str | None, expected: int
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda name: (major, 0))
    monkeypatch.setattr(torch.version, "hip", hip)
    assert workspace_bytes(CARD) == expected
    assert workspace_bytes(SERVER) == CUBLAS_WORKSPACE


@pytest.mark.parametrize(
    ("requested", "expected"), [(1, 512), (512, 512), (513, 1024), (MiB, MiB), (40, 512)]
)
def test_requests_are_rounded_up(requested: int, expected: int) -> None:
    assert rounded(requested) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (512, 2 * MiB),
        (MiB, 2 * MiB),
        (MiB + 512, 20 * MiB),
        (10 * MiB - 512, 20 * MiB),
        (10 * MiB, 10 * MiB),
        (10 * MiB + 512, 12 * MiB),
    ],
)
def test_segments_are_asked_for_in_large_pieces(size: int, expected: int) -> None:
    assert segment_bytes(size) == expected


def test_small_requests_share_a_segment() -> None:
    allocator = CachingAllocator()
    allocator.allocate(40_000)
    allocator.allocate(40)
    assert (allocator.allocated, allocator.reserved) == (40_448 + 512, 2 * MiB)
    assert allocator.rounding == 448 + 472


def test_a_remainder_up_to_one_mebibyte_is_not_split_off() -> None:
    allocator = CachingAllocator()
    # Pythia-160M's embedding in FP32: 147.375 MiB in a segment of 148.
    allocator.allocate(50304 * 768 * 4)
    assert allocator.allocated == 148 * MiB
    assert allocator.rounding == 0


def test_the_smallest_free_block_that_fits_is_taken_and_neighbours_merge() -> None:
    allocator = CachingAllocator()
    blocks = [allocator.allocate(size * MiB) for size in (5, 3, 4)]
    assert allocator.reserved == 20 * MiB
    allocator.release(blocks[1], 3 * MiB)
    again = allocator.allocate(2 * MiB)
    assert again.address == blocks[1].address
    assert again.bytes == 3 * MiB, "what is left, one mebibyte, is not split off"
    for block, size in ((blocks[0], 5), (blocks[2], 4), (again, 2)):
        allocator.release(block, size * MiB)
    assert allocator.allocated == allocator.rounding == 0
    whole = allocator.allocate(20 * MiB)
    assert (whole.address, whole.bytes, allocator.reserved) == (0, 20 * MiB, 20 * MiB)


def test_a_workspace_is_taken_when_its_phase_begins() -> None:
    kept = Allocation(5 * MiB, "mm", "forward", 1)
    events = [Event(kept, allocated=True, phase="forward")]
    usage = replay(events, workspaces={"forward": CUBLAS_WORKSPACE, "backward": CUBLAS_WORKSPACE})
    assert usage["forward"].allocated == 5 * MiB + CUBLAS_WORKSPACE


@given(st.lists(st.tuples(st.integers(1, 64 * MiB), st.booleans()), max_size=60))
def test_nothing_is_lost(requests: list[tuple[int, bool]]) -> None:
    allocator = CachingAllocator()
    held = []
    for requested, release in requests:
        held.append((allocator.allocate(requested), requested))
        spans = sorted((block.address, block.address + block.bytes) for block, _ in held)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        assert allocator.allocated == sum(block.bytes for block, _ in held)
        assert allocator.requested == sum(wanted for _, wanted in held)
        assert allocator.requested + allocator.rounding <= allocator.allocated
        assert allocator.allocated <= allocator.reserved
        if release:
            allocator.release(*held.pop(0))
    for block, requested in held:
        allocator.release(block, requested)
    assert (allocator.allocated, allocator.requested, allocator.rounding) == (0, 0, 0)
