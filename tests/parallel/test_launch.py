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
def _no_rank_left():
    yield
    assert ranks_of(psutil.Process()) == []


def ranks_of(launcher: psutil.Process) -> list[psutil.Process]:
    """The children of the server that a launcher keeps."""
    return [rank for child in launcher.children() for rank in child.children()]


def test_each_rank_returns_its_result():
    results = launch(failing.sum_of_ranks, devices=["cpu"] * 2, arguments={"factor": 3.0})
    assert results == [3.0, 3.0]


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (failing.raises, "ZeroDivisionError: a mistake of rank one"),
        (failing.is_killed, "was killed by SIGKILL"),
        pytest.param(  # who says nothing is given 27 s and more
            failing.hangs, "a_place_to_hang", marks=pytest.mark.thorough
        ),
        (failing.runs_out_of_memory, "RuntimeError"),
    ],
)
def test_the_rank_at_fault_is_named(work, says):
    with pytest.raises(RankError) as caught:
        launch(work, devices=["cpu"] * 3, arguments={})
    assert caught.value.rank == 1
    assert says in str(caught.value)


def test_ranks_that_all_hang_say_where():
    with pytest.raises(RankError, match="a_place_to_hang"):
        launch(failing.all_hang, devices=["cpu"] * 2, arguments={}, time_limit_seconds=3)


def test_signal_handlers_are_given_back():
    before = signal.getsignal(signal.SIGINT)
    launch(failing.sum_of_ranks, devices=["cpu"] * 1, arguments={"factor": 1.0})
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("arguments", [["-"], ["-c"]])
def test_the_program_that_starts_ranks_is_not_imported_by_them(arguments):
    code = (
        "from scripts.parallel.launch import launch\n"
        "from tests.parallel.failing import sum_of_ranks\n"
        "print(launch(sum_of_ranks, devices=['cpu'] * 2, arguments={'factor': 1.0}))"
    )
    given = {"input": code} if arguments == ["-"] else {}
    command = [sys.executable, *arguments, *([] if given else [code])]
    done = subprocess.run(command, capture_output=True, text=True, check=True, **given)
    assert done.stdout == "[1.0, 1.0]\n"


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_every_process_ends_with_the_experiment(ending):
    code = (
        "from scripts.parallel.launch import launch\n"
        "from tests.parallel.failing import all_hang\n"
        "launch(all_hang, devices=['cpu'] * 2, arguments={})"
    )
    run = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    launcher = psutil.Process(run.pid)
    until = time.monotonic() + 60 * patience()
    while len(ranks_of(launcher)) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    started = launcher.children(recursive=True)
    assert len(ranks_of(launcher)) == 2
    os.kill(run.pid, ending)
    assert run.wait(timeout=15 * patience()) != 0
    _, alive = psutil.wait_procs(started, timeout=10 * patience())
    assert alive == []
