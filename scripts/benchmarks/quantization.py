"""Rounding in place against copying the same bytes, and a sweep against its forward passes.

    python -m scripts.benchmarks.quantization [--weights 268435456] [--windows 64] [--threads 2]

The aims: rounding takes at most 3 times as long as a copy and no memory but a chunk; a sweep takes
at most 1.05 times as long as its forward passes alone. `plain` is the rule written in one line.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import torch
from torch import Tensor

from scripts.quantization import subjects
from scripts.quantization.rounding import GRANULARITIES, PER_GROUP_32, round_to_nearest_
from scripts.quantization.sweep import BITS, Sweep
from scripts.records.journal import Journal

COLUMNS = 4096
REPEATS = 5


class Forgetful(Journal):
    """A run that keeps no journal."""

    def __init__(self) -> None:
        self._taken: dict[str, list[object]] = {}

    def progress(self, *, total: float) -> None:
        """Show nothing."""

    def samples(
        self, key: str, take: Callable[[], object], *, count: int = 1, weight: float = 1
    ) -> list[object]:
        """Take one sample and forget it."""
        return [take()]


def seconds(call: Callable[[], object]) -> float:
    """The fastest of a few calls."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def plain(target: Tensor, source: Tensor, *, bits: int, group: int) -> None:
    """The rule as one would write it first: five passes over memory and as many copies."""
    level = 2 ** (bits - 1) - 1
    groups = source.view(-1, group).float()
    scales = (groups.abs().amax(dim=1, keepdim=True) / level).half().float()
    target.copy_(((groups / scales).round().clamp(-level, level) * scales).view_as(target))


def rounding(weights: int) -> None:
    """Print how many times as long as a copy each way of rounding takes."""
    source = torch.randn(weights // COLUMNS, COLUMNS).mul_(0.02).half()
    for dtype in (torch.float16, torch.float32):
        target = torch.empty_like(source, dtype=dtype)
        target.copy_(source)
        copy = seconds(lambda target=target: target.copy_(source))  # type: ignore[misc]
        print(f"copy of {weights:,} FP16 weights to {dtype}: {copy:.3f} s")
        one_line = seconds(
            lambda target=target: plain(target, source, bits=4, group=32)  # type: ignore[misc]
        )
        print(f"  plain, per_group_32: {one_line / copy:.2f} times as long")
        for granularity in GRANULARITIES:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            taken = seconds(
                lambda target=target, granularity=granularity: round_to_nearest_(  # type: ignore[misc]
                    target, source, bits=4, granularity=granularity, name="matrix"
                )
            )
            more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 2**10
            print(
                f"  {granularity.name}: {taken / copy:.2f} times as long, "
                f"{more / 2**20:.1f} MiB more memory at the peak"
            )


def sweep(windows: int) -> None:
    """Print how many times as long as its forward passes a sweep of the embedded model takes."""
    subject = subjects.load(subjects.EMBEDDED_CHOICE, dtype="fp32", device="cpu")
    lab = Sweep(subject, windows=windows, run=Forgetful())
    lab.loss()
    forward = seconds(lab.loss)
    began = time.perf_counter()
    for bits in BITS:
        lab.rounded(PER_GROUP_32, bits)
    whole = time.perf_counter() - began
    print(
        f"sweep of {len(BITS)} widths over {lab.windows} windows: {whole:.2f} s, "
        f"{whole / (forward * len(BITS)):.3f} times its forward passes"
    )


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", type=int, default=2**28)
    parser.add_argument("--windows", type=int, default=2**20, help="all of them, unless fewer")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    rounding(arguments.weights)
    sweep(arguments.windows)


if __name__ == "__main__":
    main()
