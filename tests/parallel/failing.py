"""Work for ranks that goes wrong on purpose; see test_launch.py."""

from __future__ import annotations

import os
import signal
import time

import torch
import torch.distributed as dist

from scripts.parallel.worker import Ranks


def sum_of_ranks(ranks: Ranks, *, factor: float) -> float:
    value = torch.tensor(float(ranks.rank))
    dist.all_reduce(value)
    return factor * value.item()


def _others_wait(ranks: Ranks) -> None:
    if ranks.rank != 1:
        dist.all_reduce(torch.ones(1))


def raises(ranks: Ranks) -> None:
    if ranks.rank == 1:
        raise ZeroDivisionError("a mistake of rank one")
    _others_wait(ranks)


def is_killed(ranks: Ranks) -> None:
    if ranks.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    _others_wait(ranks)


def hangs(ranks: Ranks) -> None:
    if ranks.rank == 1:
        a_place_to_hang()
    _others_wait(ranks)


def all_hang(ranks: Ranks) -> None:
    a_place_to_hang()


def a_place_to_hang() -> None:
    time.sleep(3600)


def runs_out_of_memory(ranks: Ranks) -> None:
    if ranks.rank == 1:
        torch.empty(2**60)
    _others_wait(ranks)
