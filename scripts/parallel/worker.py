"""`launch` starts it in each process of the parallelism lab, with a task as JSON: it joins the others,
does the work, and writes what the work returned or how it failed.

    python -m scripts.parallel.worker TASK.json
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    import torch

# A rank that waits for a silent one gives up first, and lingers until all have that wait for it:
# who has then said nothing is the silent one.
WAIT_SECONDS = 20.0
LINGER_SECONDS = 2.0
SILENCE_SECONDS = 27.0
# NCCL loads its kernels and connects every pair of cards when ranks first meet: tens of seconds on a
# machine with eight, where gloo takes less than one; and each rank imports torch for itself.
NCCL_IS_SLOWER = 6


@dataclass(frozen=True)
class Ranks:
    """This process's place among the others."""

    rank: int
    world_size: int
    device: torch.device
    deadline: float
    patience: float

    def beat(self) -> None:
        """Say that this rank is alive; after 27 s of silence it prints its stack and ends."""
        left = max(0.1, min(SILENCE_SECONDS * self.patience, self.deadline - time.monotonic()))
        faulthandler.dump_traceback_later(left, exit=True)


def run(task_path: str) -> None:
    """The work of one rank; its outcome goes to a file beside the task."""
    task = json.loads(Path(task_path).read_text())
    rank = int(os.environ["RANK"])
    _end_with(multiprocessing.parent_process())
    # Ended from outside while it hangs, a rank prints where: C code included.
    faulthandler.register(signal.SIGTERM, all_threads=True, chain=True)
    try:
        outcome: dict[str, Any] = {"result": _work(task)}
    except Exception as error:
        outcome = {
            "error": f"{type(error).__name__}: {error}\n{traceback.format_exc()}",
            "waited": _waited(error),
            "time": time.time(),
        }
    _write(Path(task["outcomes"]) / f"rank-{rank}.json", outcome)
    # A failed rank leaves at once: closing connections in order would wait for the others.
    if "error" in outcome:
        if outcome["waited"]:
            time.sleep(LINGER_SECONDS * task["patience"])
        os._exit(1)


def _work(task: dict[str, Any]) -> Any:
    import torch
    import torch.distributed as dist

    slower = NCCL_IS_SLOWER if task["devices"][0] != "cpu" else 1
    ranks = Ranks(
        rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]),
        device=_device(task["devices"][int(os.environ["LOCAL_RANK"])]),
        deadline=time.monotonic() + slower * task["time_limit_seconds"],
        patience=slower * task["patience"],
    )
    ranks.beat()
    module, _, function = task["work"].partition(":")
    work: Callable[..., Any] = getattr(importlib.import_module(module), function)
    torch.set_num_threads(1)
    # Not told its device, NCCL connects when it is first used, and a send that is no part of a batch
    # gets a communicator for its two ranks alone. Told, it puts all on one, in order (ProcessGroupNCCL,
    # "eager initialization mode"), and torch's pipeline schedules, which batch only what goes both
    # ways, may wait for each other for ever.
    dist.init_process_group(
        "nccl" if ranks.device.type == "cuda" else "gloo",
        timeout=timedelta(seconds=WAIT_SECONDS * ranks.patience),
    )
    # The first collective of a group must be everybody's: a batch of sends between two is not.
    dist.barrier()
    ranks.beat()
    result = work(ranks, **task["arguments"])
    dist.barrier()
    dist.destroy_process_group()
    return result


def _device(name: str) -> torch.device:
    import torch

    if name == "cpu":
        return torch.device("cpu")
    device = torch.device(name)
    torch.cuda.set_device(device)
    return device


def _waited(error: Exception) -> bool:
    """Whether the error only says that another rank was late or gone."""
    import torch.distributed as dist

    return isinstance(error, dist.DistError) or any(
        sign in str(error) for sign in ("gloo", "NCCL", "Connection", "Timed out", "Broken pipe")
    )


def _write(path: Path, outcome: dict[str, Any]) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(outcome))
    partial.replace(path)


def _end_with(launcher: BaseProcess | None) -> None:
    """A launcher that is killed outright cannot end its ranks: they notice that it is gone."""

    def watch() -> None:
        if launcher is not None:
            launcher.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
