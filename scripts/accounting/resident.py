"""The experiment `training-memory` starts it in a process of its own, which takes one training step:

    python -m scripts.accounting.resident RECIPE SEQUENCES TOKENS

It prints, as JSON, the bytes of memory of its own by which the process grew until the end of each
phase, as the operating system counts them. A process of its own, so that nothing freed earlier is
reused; a fixed threshold keeps every large tensor in pages of its own, which go back to the system
when it is freed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable

import psutil
import torch

from scripts.accounting.pythia import PYTHIA_160M
from scripts.accounting.training_recipes import RECIPES, Training
from scripts.models.gpt_neox import GPTNeoX

MMAP_THRESHOLD_BYTES = 2**17


def grown_bytes(
    recipe: str, *, sequences: int, tokens: int, keep_buffers: bool = True
) -> dict[str, int]:
    """Bytes by which a new process grew until the end of each phase of one training step.

    Without `keep_buffers`, Intel's MKL gives the buffers of each product back after it.
    """
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(MMAP_THRESHOLD_BYTES)}
    if not keep_buffers:
        environment["MKL_DISABLE_FAST_MM"] = "1"
    done = subprocess.run(
        [sys.executable, "-m", __name__, recipe, str(sequences), str(tokens)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    phases: dict[str, int] = json.loads(done.stdout)
    return phases


def _resident_bytes() -> int:
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    memory = psutil.Process().memory_info()
    # Pages of files, such as a library's code, are shared with every process that reads them.
    return int(memory.rss - getattr(memory, "shared", 0))


def _measure(recipe: str, *, sequences: int, tokens: int) -> dict[str, int]:
    chosen = RECIPES[recipe]
    torch.set_default_dtype(chosen.dtype)
    _warm_up()
    before = _resident_bytes()
    training = Training(chosen, GPTNeoX(PYTHIA_160M), vocab_size=PYTHIA_160M.vocab_size)
    training.read(sequences=sequences, tokens=tokens)
    phases = {"model": _resident_bytes() - before}
    acts: dict[str, Callable[[], None]] = {
        "forward": training.forward,
        "backward": training.backward,
        "first_step": training.step,
    }
    for name, act in acts.items():
        act()
        phases[name] = _resident_bytes() - before
    return phases


def _warm_up() -> None:
    """Load the libraries and start the threads that a step needs, with a tiny product."""
    x = torch.zeros(64, 64, requires_grad=True)
    (x @ x).float().sum().backward()


if __name__ == "__main__":
    name, sequences, tokens = sys.argv[1:]
    print(json.dumps(_measure(name, sequences=int(sequences), tokens=int(tokens))))
