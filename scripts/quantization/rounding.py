"""The rule of `snippets.quantization` on whole matrices: in place, a cache-sized chunk at a time.

A group of weights shares one FP16 scale, max|w| / (2^(bits-1) - 1); each weight becomes the nearest
of the 2^bits - 1 multiples of it. A plain version makes five passes over memory; here a chunk stays
in the cache for all of them, so that memory is read once and written once. FP32 on a CPU is rounded by
`rounding_in_c.py`, where that can be compiled: as fast as a copy, with the same bits.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.core.faults import BadInput
from scripts.quantization.compiled import library
from scripts.quantization.rounding_in_c import SOURCE
from snippets.quantized_size import largest_level

if TYPE_CHECKING:
    from torch import Tensor

THREAD_WEIGHTS = 2**17  # fewer are rounded sooner than a thread is told to
CHUNK_WEIGHTS = 2**19  # 2 MiB in FP32: in the cache, and large enough that starting calls is little
# From here down an FP16 number has fewer than eleven bits, and a scale may be far below its group's.
SMALLEST_NORMAL = 2.0**-14
# Below this level a scale that is rounded to eleven bits leaves no weight beyond the last mark.
EXACT_BELOW = 2**10


@dataclass(frozen=True)
class Granularity:
    """Which weights share a scale: `group` in a row, or a whole row or matrix."""

    name: str
    group: int | None = None

    def group_size(self, matrix: Tensor, *, name: str) -> int:
        """Weights that share a scale. Raises BadInput where groups do not divide the rows."""
        rows, columns = matrix.shape
        if self.name == "per_matrix":
            return rows * columns
        if self.group is None:
            return columns
        if columns % self.group:
            raise BadInput(
                name,
                0,
                f"rows of {columns} weights do not divide into groups of {self.group}",
                "choose a group size that divides them, or one scale per row",
            )
        return self.group


PER_GROUP_32 = Granularity("per_group_32", 32)
PER_GROUP_128 = Granularity("per_group_128", 128)
PER_ROW = Granularity("per_row")
PER_MATRIX = Granularity("per_matrix")
GRANULARITIES = (PER_GROUP_32, PER_GROUP_128, PER_ROW, PER_MATRIX)


def round_to_nearest_(
    target: Tensor, source: Tensor, *, bits: int, granularity: Granularity, name: str
) -> None:
    """Fill `target` with what b-bit quantization leaves of `source`: level times scale.

    Both have one shape, (rows, columns), and are contiguous; arithmetic is in FP32, `target` is
    rounded to its own dtype. `name` is the matrix's, for messages. No other memory is taken than
    two chunks and their scales.
    Raises BadInput for NaN or infinite weights, weights whose scale does not fit FP16, and groups
    that do not divide the rows.
    """
    import torch

    size = granularity.group_size(source, name=name)
    level = largest_level(bits)
    if source.device.type == "cpu" and source.dtype == target.dtype == torch.float32:
        widest = _round_compiled(target, source, size=size, level=level)
        if widest is not None:
            _scales(widest, level=level, name=name)  # refuses what is not finite
            return
    chunks = _Chunks(source, size=min(size, CHUNK_WEIGHTS))
    whole_matrix = None
    if size > CHUNK_WEIGHTS:
        largest = torch.stack([chunks.largest(part).amax() for part in chunks.of(source)]).amax()
        whole_matrix = _scales(largest, level=level, name=name)
    for part, out in zip(chunks.of(source), chunks.of(target), strict=True):
        work = chunks.widened(part, out)
        scales, smallest = whole_matrix or _scales(chunks.largest(work), level=level, name=name)
        # A scale of zero (all weights zero, or too small for FP16) would divide zero by zero.
        steps = scales if smallest > 0 else torch.where(scales == 0, torch.inf, scales)
        work.div_(steps).round_()
        if level >= EXACT_BELOW or smallest < SMALLEST_NORMAL:
            work.clamp_(-level, level)
        work.mul_(scales)
        if work is not out:
            out.copy_(work)


def _round_compiled(target: Tensor, source: Tensor, *, size: int, level: int) -> Tensor | None:
    """Round all groups; the largest magnitudes among them, or None where nothing could be compiled."""
    import torch

    compiled = library(SOURCE)
    if compiled is None:
        return None
    round_groups = compiled.round_groups
    round_groups.restype = ctypes.c_uint32
    groups = source.numel() // size
    threads = max(1, min(torch.get_num_threads(), groups, source.numel() // THREAD_WEIGHTS))
    ends = [groups * share // threads for share in range(threads + 1)]

    def part(first: int, last: int) -> int:
        places = (4 * size * first + tensor.data_ptr() for tensor in (target, source))
        numbers = map(ctypes.c_long, (last - first, size))
        return int(round_groups(*map(ctypes.c_void_p, places), *numbers, ctypes.c_float(level)))

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(part, ends[:-1], ends[1:])) if threads > 1 else [part(0, groups)]
    return torch.tensor(found, dtype=torch.int32).view(torch.float32)


class _Chunks:
    """A matrix cut into rows of `size` weights, as many at a time as a chunk holds."""

    def __init__(self, matrix: Tensor, *, size: int) -> None:
        import torch

        self.size = size
        self.rows = max(1, CHUNK_WEIGHTS // size)
        shape = (min(self.rows, -(-matrix.numel() // size)), size)
        self._wide = torch.empty(shape, dtype=torch.float32, device=matrix.device)
        self._magnitudes = torch.empty_like(self._wide)

    def of(self, matrix: Tensor) -> Iterator[Tensor]:
        """Views of the matrix; where its end is no whole row, that row is shorter."""
        for part in matrix.view(-1).split(self.rows * self.size):
            yield part.view(-1, min(self.size, part.numel()))

    def widened(self, part: Tensor, out: Tensor) -> Tensor:
        """The weights in FP32, to work on: in `out` itself, where that is FP32."""
        import torch

        if out.dtype == torch.float32:
            return out.copy_(part)
        return self._wide[: len(part), : part.shape[1]].copy_(part)

    def largest(self, part: Tensor) -> Tensor:
        """The largest magnitude of each row; NaN if there is one. (A norm would be far slower.)"""
        import torch

        magnitudes = self._magnitudes[: len(part), : part.shape[1]]
        return torch.abs(part.float(), out=magnitudes).amax(dim=1, keepdim=True)


def _scales(largest: Tensor, *, level: int, name: str) -> tuple[Tensor, float]:
    """FP16 scales, as FP32 numbers, and the smallest of them."""
    import torch

    scales = (largest / level).half().float()
    smallest, greatest = (float(end) for end in torch.aminmax(scales))
    if not math.isfinite(greatest):
        found = "infinite scales" if bool(torch.isfinite(largest).all()) else "NaN or infinity"
        raise BadInput(
            name,
            0,
            f"cannot be quantized: the matrix has {found}",
            "check the checkpoint: weights must be finite, and below 65,504 times the largest level",
        )
    return scales, smallest
