"""The experiment `parallelism-collectives` launches it on every rank with a list of sizes; back comes how
long ranks take to sum and to gather buffers of each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from scripts.parallel.worker import Ranks


def work(ranks: Ranks, *, sizes: list[int], samples: int) -> dict[str, dict[str, list[float]]]:
    """Seconds of each sample, {"all_reduce": {"1024": [...]}}; a size is the whole buffer's bytes.

    Each rank begins when the last is ready, and a sample lasts until this rank is done.
    """
    seconds: dict[str, dict[str, list[float]]] = {"all_reduce": {}, "all_gather": {}}
    for size in sizes:
        for name, call in _calls(ranks, size).items():
            _check(ranks, name, call())
            seconds[name][str(size)] = [_seconds(ranks, call) for _ in range(samples)]
            ranks.beat()
    return seconds


def _calls(ranks: Ranks, size: int) -> dict[str, Callable[[], torch.Tensor]]:
    ones = torch.ones(size // 4, device=ranks.device)
    part = torch.full((size // 4 // ranks.world_size,), float(ranks.rank), device=ranks.device)
    whole = torch.empty(len(part) * ranks.world_size, device=ranks.device)

    def all_reduce() -> torch.Tensor:
        dist.all_reduce(ones)  # sends 2 (n - 1) / n of the buffer
        return ones

    def all_gather() -> torch.Tensor:
        dist.all_gather_into_tensor(whole, part)  # sends (n - 1) / n of the buffer
        return whole

    return {"all_reduce": all_reduce, "all_gather": all_gather}


def _check(ranks: Ranks, name: str, result: torch.Tensor) -> None:
    last = ranks.world_size if name == "all_reduce" else ranks.world_size - 1
    if result[-1].item() != last:
        raise ValueError(f"{name} ended with {result[-1].item()}, not {last}")


def _seconds(ranks: Ranks, call: Callable[[], Any]) -> float:
    dist.barrier()
    # A collective of NCCL returns before it is done, on a stream that the current one waits for.
    _settle(ranks.device)
    start = time.perf_counter()
    call()
    _settle(ranks.device)
    return time.perf_counter() - start


def _settle(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
