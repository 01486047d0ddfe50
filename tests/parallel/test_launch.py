"""Ranks start, return, and end: however they end, none is left and the cause is named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from scripts.parallel.launch import RankError, launch, patience
from tests.parallel import failing


@pytest.fixture(autouse=True)
def _no_process_left():
    yield
    assert psutil.Process().children(recursive=True) == []


def test_each_rank_returns_its_result():
    results = launch(failing.sum_of_ranks, world_size=2, arguments={"factor": 3.0})
    assert results == [3.0, 3.0]


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (failing.raises, "ZeroDivisionError: a mistake of rank one"),
        (failing.is_killed, "was killed by SIGKILL"),
        (failing.hangs, "a_place_to_hang"),
        (failing.runs_out_of_memory, "RuntimeError"),
    ],
)
def test_the_rank_at_fault_is_named_within_30_seconds(work, says):
    started, limit = time.monotonic(), 30 * patience()
    with pytest.raises(RankError) as caught:
        launch(work, world_size=2, arguments={})
    assert time.monotonic() - started < limit
    assert caught.value.rank == 1
    assert says in str(caught.value)


def test_ranks_that_all_hang_say_where():
    with pytest.raises(RankError, match="a_place_to_hang"):
        launch(failing.all_hang, world_size=2, arguments={}, time_limit_seconds=6)


def test_signal_handlers_are_given_back():
    before = signal.getsignal(signal.SIGINT)
    launch(failing.sum_of_ranks, world_size=1, arguments={"factor": 1.0})
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ranks_end_with_the_experiment(ending):
    code = (
        "from scripts.parallel.launch import launch\n"
        "from tests.parallel.failing import all_hang\n"
        "launch(all_hang, world_size=2, arguments={})"
    )
    run = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    ranks = _wait_for_children(run.pid, count=2)
    time.sleep(1)
    os.kill(run.pid, ending)
    assert run.wait(timeout=15 * patience()) != 0
    _, alive = psutil.wait_procs(ranks, timeout=10 * patience())
    assert alive == []


def _wait_for_children(pid: int, *, count: int) -> list[psutil.Process]:
    until = time.monotonic() + 30 * patience()
    while time.monotonic() < until:
        children = psutil.Process(pid).children(recursive=True)
        if len(children) == count:
            return children
        time.sleep(0.1)
    raise AssertionError(f"{count} processes did not start")
