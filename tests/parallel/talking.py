"""Ranks that talk in every way that is counted; see test_traffic.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import all_reduce

from scripts.parallel.traffic import TransferTrace, bytes_on_the_wire
from scripts.parallel.worker import Ranks


def every_collective(ranks: Ranks, *, elements: int) -> dict[str, dict[str, Any]]:
    whole, part = torch.ones(elements), torch.ones(elements // ranks.world_size)
    other = ranks.world_size - 1 - ranks.rank

    def send() -> None:
        works = dist.batch_isend_irecv(
            [
                dist.P2POp(dist.isend, whole, other),
                dist.P2POp(dist.irecv, torch.empty_like(whole), other),
            ]
        )
        for work in works:
            work.wait()

    calls: dict[str, list[Callable[[], Any]]] = {
        "all_reduce": [lambda: dist.all_reduce(whole), lambda: all_reduce(whole, "sum", [0, 1])],
        "all_gather": [lambda: dist.all_gather_into_tensor(torch.empty(elements), part)],
        "reduce_scatter": [lambda: dist.reduce_scatter_tensor(torch.empty_like(part), whole)],
        "send": [send],
    }
    results = {}
    for kind, ways in calls.items():
        for way in ways:
            trace = TransferTrace()
            with trace:
                wire = bytes_on_the_wire(way)
            results[kind] = {"totals": trace.by_kind(), "wire_bytes": wire}
    return results
