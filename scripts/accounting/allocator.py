"""The experiment `training-memory` replays a list of allocations on it; back comes what PyTorch's CUDA
caching allocator would report, without a GPU.

The rules are those of `c10/cuda/CUDACachingAllocator.cpp` with its default settings: sizes rounded up
to 512 bytes; two pools, up to 1 MiB and above; segments of 2 MiB (small pool), 20 MiB (requests below
10 MiB) or the request rounded up to 2 MiB; the smallest free block that fits, lowest address first;
a block is split if what remains is at least 512 bytes (small pool) or more than 1 MiB (large pool).
`memory_allocated()` counts whole blocks, so a remainder that is not split off is counted too.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.accounting.allocations import Event

if TYPE_CHECKING:
    from scripts.devices.device import Device

MIN_BLOCK = 512
SMALL_LIMIT = 2**20
SMALL_SEGMENT = 2 * 2**20
LARGE_SEGMENT = 20 * 2**20
OWN_SEGMENT_FROM = 10 * 2**20
ROUND_OWN_SEGMENT = 2 * 2**20
# 2 buffers of 4096 KiB and 8 of 16 KiB: `CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8`, PyTorch's default, one per
# cuBLAS handle and stream; and what it takes on Hopper and Blackwell (`parseChosenWorkspaceSize` in
# ATen/cuda/CublasHandlePool.cpp, which also has rocBLAS's 32 MiB). cuBLASLt shares it.
CUBLAS_WORKSPACE = (2 * 4096 + 8 * 16) * 2**10
LARGE_WORKSPACE = 32 * 2**20
WITH_LARGE_WORKSPACE = (9, 10, 12)


def workspace_bytes(device: Device) -> int:
    """Of one cuBLAS handle on a GPU; without one, those of the cards before Hopper."""
    if device.kind != "cuda":
        return CUBLAS_WORKSPACE
    import torch

    major, _ = torch.cuda.get_device_capability(device.torch_name)
    large = torch.version.hip is not None or major in WITH_LARGE_WORKSPACE
    return LARGE_WORKSPACE if large else CUBLAS_WORKSPACE


@dataclass(eq=False)
class Block:
    """A stretch of one segment; `before` and `after` are its neighbours there."""

    address: int
    bytes: int
    small: bool
    free: bool = True
    before: Block | None = None
    after: Block | None = None


def rounded(requested: int) -> int:
    """A request in bytes, rounded up to a multiple of 512."""
    return max(MIN_BLOCK, -(-requested // MIN_BLOCK) * MIN_BLOCK)


def segment_bytes(size: int) -> int:
    """What is asked of the driver for a rounded request that no free block can serve."""
    if size <= SMALL_LIMIT:
        return SMALL_SEGMENT
    if size < OWN_SEGMENT_FROM:
        return LARGE_SEGMENT
    return -(-size // ROUND_OWN_SEGMENT) * ROUND_OWN_SEGMENT


@dataclass(frozen=True)
class Usage:
    """What `memory_allocated`, the sum of requests and `memory_reserved` would say, in bytes.

    `rounding` is what rounding the live requests up to 512 bytes adds; the rest of what is
    allocated beyond them lies in blocks that were not worth splitting.
    """

    allocated: int
    requested: int
    reserved: int
    rounding: int


class CachingAllocator:
    """The allocator's state; bytes as in `Usage`."""

    def __init__(self) -> None:
        self.allocated = self.requested = self.reserved = self.rounding = 0
        self._free: dict[bool, list[tuple[int, int, Block]]] = {True: [], False: []}
        self._next_address = 0

    def allocate(self, requested: int) -> Block:
        """The block that serves a request of so many bytes."""
        size = rounded(requested)
        block = self._take(size) or self._new_segment(size)
        remainder = block.bytes - size
        if remainder >= MIN_BLOCK if block.small else remainder > SMALL_LIMIT:
            self._split(block, size)
        block.free = False
        self.allocated += block.bytes
        self.requested += requested
        self.rounding += size - requested
        return block

    def release(self, block: Block, requested: int) -> None:
        """Give a block back; it merges with free neighbours."""
        self.allocated -= block.bytes
        self.requested -= requested
        self.rounding -= rounded(requested) - requested
        block.free = True
        for neighbour in (block.before, block.after):
            if neighbour is not None and neighbour.free:
                self._remove(neighbour)
                block = _merge(block, neighbour)
        self._add(block)

    def usage(self) -> Usage:
        """What is in use and reserved now, in bytes."""
        return Usage(self.allocated, self.requested, self.reserved, self.rounding)

    def _take(self, size: int) -> Block | None:
        small = size <= SMALL_LIMIT
        blocks = self._free[small]
        index = bisect_left(blocks, (size, -1), key=lambda entry: entry[:2])
        return blocks.pop(index)[2] if index < len(blocks) else None

    def _new_segment(self, size: int) -> Block:
        block = Block(self._next_address, segment_bytes(size), small=size <= SMALL_LIMIT)
        self._next_address += block.bytes
        self.reserved += block.bytes
        return block

    def _split(self, block: Block, size: int) -> None:
        rest = Block(
            block.address + size,
            block.bytes - size,
            block.small,
            before=block,
            after=block.after,
        )
        if block.after is not None:
            block.after.before = rest
        block.after, block.bytes = rest, size
        self._add(rest)

    def _add(self, block: Block) -> None:
        insort(
            self._free[block.small],
            (block.bytes, block.address, block),
            key=lambda entry: entry[:2],
        )

    def _remove(self, block: Block) -> None:
        blocks = self._free[block.small]
        index = bisect_left(blocks, (block.bytes, block.address), key=lambda entry: entry[:2])
        assert blocks[index][2] is block
        del blocks[index]


def _merge(one: Block, other: Block) -> Block:
    first, second = sorted((one, other), key=lambda block: block.address)
    first.bytes += second.bytes
    first.after = second.after
    if second.after is not None:
        second.after.before = first
    first.free = True
    return first


def replay(
    events: Iterable[Event], *, workspaces: dict[str, int] | None = None
) -> dict[str, Usage]:
    """What the allocator would report at the end of each phase.

    `workspaces` are bytes that a library takes, and keeps, at the start of a phase.
    """
    allocator = CachingAllocator()
    held: dict[int, Block] = {}
    usage: dict[str, Usage] = {}
    pending = dict(workspaces or {})
    for event in events:
        if event.phase in pending:
            allocator.allocate(pending.pop(event.phase))
        allocation = event.allocation
        if event.allocated:
            held[id(allocation)] = allocator.allocate(allocation.bytes)
        else:
            allocator.release(held.pop(id(allocation)), allocation.bytes)
        usage[event.phase] = allocator.usage()
    return usage
