"""Copies beside a compiled loop, rounding beside a copy and torchao, a sweep beside its forward passes."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import torch

from scripts.kernels.copying import ways_to_copy
from scripts.quantization import subjects
from scripts.quantization.compiled import library
from scripts.quantization.rounding import GRANULARITIES, PER_GROUP_32, round_to_nearest_
from scripts.quantization.sweep import BITS, Sweep
from tests.bench.row import Row, fastest

COPIED = 2**28  # bytes
WEIGHTS, COLUMNS = 100_007_936, 4096
LEVEL, GROUP = 7, 32
WINDOWS = 64
# STREAM's copy (McCalpin 1995).
LOOP = """void copy(double *restrict to, const double *restrict from, long count) {
    #pragma omp parallel for
    for (long i = 0; i < count; i++) to[i] = from[i];
}"""


def copying() -> Iterator[Row]:
    """The ways to copy that the staircase chooses among, beside a loop in C."""
    source = torch.ones(COPIED // 8, dtype=torch.float64)
    target = torch.zeros_like(source)
    calls = dict(ways_to_copy(target, source))
    compiled = library(LOOP, "-fopenmp")
    if compiled is not None:
        places = [ctypes.c_void_p(each.data_ptr()) for each in (target, source)]
        calls["C loop"] = lambda: compiled.copy(*places, ctypes.c_long(source.numel()))
    took = fastest(calls)
    for way, seconds in took.items():
        yield Row(f"{way}, {COPIED >> 20} MiB", seconds, min(took.values()), "1 for one of ours")


def _torchao(source: torch.Tensor) -> Callable[[], object]:
    from torchao.quantization.quant_primitives import (
        MappingType,
        choose_qparams_affine,
        dequantize_affine,
        quantize_affine,
    )

    block, limits = (1, GROUP), {"quant_min": -LEVEL, "quant_max": LEVEL}

    def call() -> object:
        scales, zeros = choose_qparams_affine(
            source, MappingType.SYMMETRIC, block, torch.int8, **limits, scale_dtype=torch.float16
        )
        wide = scales.float()
        levels = quantize_affine(source, block, wide, zeros, torch.int8, **limits)
        return dequantize_affine(levels, block, wide, zeros, torch.int8, **limits)

    return call


def rounding() -> Iterator[Row]:
    """Four bits, in FP32: each granularity, and torchao's groups of 32, beside a copy."""
    source = torch.randn(WEIGHTS // COLUMNS, COLUMNS).mul_(0.02)
    target = torch.empty_like(source)
    calls: dict[str, Callable[[], object]] = {"copy": lambda: target.copy_(source)}
    for granularity in GRANULARITIES:
        calls[granularity.name] = lambda granularity=granularity: round_to_nearest_(  # type: ignore[misc]
            target, source, bits=4, granularity=granularity, name="matrix"
        )
    took = fastest(calls)
    copy = took.pop("copy")
    for name, seconds in took.items():
        yield Row(f"{name}, {WEIGHTS:.1e} weights", seconds, copy, "2 for groups of 32")
    took = fastest({"torchao": _torchao(source)}, rounds=1)
    yield Row(f"torchao, groups of {GROUP}", took["torchao"], copy)


class _Forgetful:
    """A run that keeps no journal."""

    def progress(self, **_: float) -> None:
        """Show nothing."""

    def samples(self, key: str, take: Callable[[], object], **_: float) -> list[object]:
        return [take()]


def sweep() -> Iterator[Row]:
    """The embedded model rounded to each width, and as many forward passes alone."""
    subject = subjects.load(subjects.EMBEDDED_CHOICE, dtype="fp32", device="cpu")
    run: Any = _Forgetful()
    lab = Sweep(subject, windows=WINDOWS, run=run)

    def whole() -> None:
        for bits in BITS:
            lab.rounded(PER_GROUP_32, bits)

    def forward() -> None:
        for _ in BITS:
            lab.loss()

    took = fastest({"whole": whole, "forward": forward}, rounds=3)
    yield Row(f"{len(BITS)} widths over {lab.windows} windows", *took.values(), "1.05")
