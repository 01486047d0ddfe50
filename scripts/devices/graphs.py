"""Experiments hand it work whose kernels are shorter than what Python takes to start them; back comes a
call that on a GPU replays a CUDA graph of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from scripts.devices.device import Device

WARM_UP_CALLS = 3


def replayed(work: Callable[[], object], *, device: Device, times: int = 1) -> Callable[[], object]:
    """What does the work so many times; on a GPU a CUDA graph, which needs no Python in between.

    All that the work needs must stay in place. It is called before it is captured, because libraries
    allocate and kernels load on their first calls, which a capture does not allow (torch.cuda.graph,
    "CUDA semantics"), and on a side stream, because the default one cannot be captured.
    """
    if device.kind != "cuda":
        return partial(_repeat, work, times)
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP_CALLS):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        _repeat(work, times)
    return partial(_replay, graph, work)


def _repeat(work: Callable[[], object], times: int) -> None:
    for _ in range(times):
        work()


def _replay(graph: torch.cuda.CUDAGraph, _work: Callable[[], object]) -> None:
    """Replay a graph. It knows addresses only: what it was made of holds the tensors there."""
    graph.replay()
