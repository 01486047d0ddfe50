"""Every experiment on parallelism hands it a function's name, arguments and a number of ranks; back comes
what each rank returned, or the error of the rank that failed first.

torch's elastic agent starts one process per rank, as behind `torchrun`: it picks a free port, hands
every process its rank, and ends the rest when one fails. Ranks are forked from a server that has
imported torch once, because that takes longer than most of what they do. The server ends with this
process.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException, Std
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from scripts.core.faults import BadInput
from scripts.parallel.worker import run

PRELOADED = [
    "torch._dynamo",
    "torch.distributed.fsdp",
    "torch.distributed.optim",
    "torch.distributed.pipelining",
    "torch.distributed.tensor.parallel",
]
ROOT = Path(__file__).resolve().parents[2]
LOG_LINES = 30

# The agent ends ranks by the first, NCCL a rank that waited too long by the second.
ENDED_BY_OTHERS = (-signal.SIGTERM, -signal.SIGABRT)


class RankError(BadInput):
    """A rank failed; the message names it and carries its own error."""

    def __init__(self, *, rank: int, world_size: int, reason: str) -> None:
        super().__init__(
            f"rank {rank} of {world_size}",
            0,
            reason,
            "correct what that rank says, free memory or close other programs, and run again",
        )
        self.rank = rank


def launch(
    work: Callable[..., Any],
    *,
    devices: Sequence[str],
    arguments: Mapping[str, Any],
    time_limit_seconds: float = 120.0,
) -> list[Any]:
    """Run `work(ranks, **arguments)` in a process for each of `devices`; what each returned, by rank.

    `devices` are what torch calls them: "cpu" for each, or cards, each once.

    `work` is a function of a module, its arguments and results are what JSON holds, and `ranks` is
    a `scripts.parallel.worker.Ranks`. Raises RankError when a rank raises, dies, hangs or overruns
    the time limit, after every process has ended. The limits are longer on a busy machine.
    """
    with tempfile.TemporaryDirectory(prefix="sixteen-bytes-") as name:
        folder = Path(name)
        task = folder / "task.json"
        task.write_text(
            json.dumps(
                {
                    "work": f"{work.__module__}:{work.__qualname__}",
                    "arguments": dict(arguments),
                    "devices": list(devices),
                    "time_limit_seconds": time_limit_seconds * patience(),
                    "patience": patience(),
                    "outcomes": str(folder),
                }
            )
        )
        logs = DefaultLogsSpecs(log_dir=str(folder / "logs"), redirects=Std.ALL)
        config = LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=len(devices),
            logs_specs=logs,
            run_id=uuid.uuid4().hex,
            rdzv_backend="c10d",
            rdzv_endpoint="localhost:0",
            local_addr="localhost",
            max_restarts=0,
            monitor_interval=0.05,
            # A fork of a process in which anything has asked for CUDA cannot use it.
            start_method="forkserver" if devices[0] == "cpu" else "spawn",
            shutdown_timeout=5,
        )
        multiprocessing.set_forkserver_preload(PRELOADED)
        with _quiet_agent(), _worker_environment(), _without_main():
            try:
                elastic_launch(config, run)(str(task))
            except ChildFailedError as failed:
                codes = {rank: failure.exitcode for rank, failure in failed.failures.items()}
                raise _cause(codes, folder=folder, world_size=len(devices)) from None
            except SignalException as stopped:
                if stopped.sigval == signal.SIGINT:
                    raise KeyboardInterrupt from None
                raise SystemExit(128 + stopped.sigval) from None
        outcomes = [_outcome(folder, rank) for rank in range(len(devices))]
        return [outcome["result"] for outcome in outcomes]


def patience() -> float:
    """How many times as long as on an idle machine a rank may need: what wants to run, per core."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _cause(codes: Mapping[int, int], *, folder: Path, world_size: int) -> RankError:
    """The failed rank that made the others fail: one that raised or was killed before one that
    was still busy when the rest gave up, and both before one that only waited for another."""

    def blame(rank: int) -> tuple[int, float]:
        outcome = _outcome(folder, rank)
        if outcome:
            return (2 if outcome["waited"] else 0, outcome["time"])
        return (0 if codes.get(rank, -signal.SIGTERM) not in ENDED_BY_OTHERS else 1, 0.0)

    rank = min(range(world_size), key=blame)
    reason = _outcome(folder, rank).get("error") or _end(
        codes.get(rank, -signal.SIGTERM), log=_log_tail(folder, rank)
    )
    return RankError(rank=rank, world_size=world_size, reason=reason)


def _end(code: int, *, log: str) -> str:
    """How a process ended that could not say so itself. `code`: as subprocess has it."""
    if code == -signal.SIGTERM:
        how = "hung while the others waited for it, at"
    elif code == -signal.SIGKILL:
        how = "was killed by SIGKILL: the system may have run out of memory"
    elif code < 0:
        how = f"was killed by {signal.Signals(-code).name}"
    else:
        how = f"ended with status {code}"
    return f"{how}\n{log}".rstrip()


def _outcome(folder: Path, rank: int) -> dict[str, Any]:
    path = folder / f"rank-{rank}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def _log_tail(folder: Path, rank: int) -> str:
    logs = sorted(folder.glob(f"logs/**/{rank}/stderr.log"))
    lines = [line for log in logs for line in log.read_text(errors="replace").splitlines()]
    return "\n".join(lines[-LOG_LINES:])


@contextmanager
def _quiet_agent() -> Iterator[None]:
    """The agent logs what `RankError` says better, and replaces the handlers of signals."""
    handled = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
    before = {number: signal.getsignal(number) for number in handled}
    loggers = [logging.getLogger(f"torch.{part}") for part in ("distributed", "multiprocessing")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def _without_main() -> Iterator[None]:
    """Ranks would import the program that starts them, need nothing of it, and may not be able."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _worker_environment() -> Iterator[None]:
    """One thread per process, so that ranks do not fight over cores; and our own imports."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    wanted = {"OMP_NUM_THREADS": "1", "PYTHONPATH": path, "TORCH_CPP_LOG_LEVEL": "ERROR"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
