"""Tests and `python -m tests.rehearsal` enter `rehearsing(MACHINE)`: within it, this process is there."""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scripts.devices import cuda_driver, timing, under_load
from scripts.devices import device as devices
from tests.rehearsal import driver
from tests.rehearsal.machines import Machine

CACHED = (cuda_driver._library, under_load._library, under_load._handle)


@contextmanager
def rehearsing(machine: Machine) -> Iterator[None]:
    """The machine's driver, tools and torch, as this process sees them."""
    from tests.rehearsal import cuda
    from tests.rehearsal.work import Work

    work = Work(machine.cards[machine.seen()[0]])
    mode = cuda.Devices()
    folder = tempfile.TemporaryDirectory()
    with ExitStack() as stack:
        path = stack.enter_context(folder)
        if machine.smi:
            driver.write_smi(machine, Path(path))
        environment = {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
        if machine.visible is not None:
            environment["CUDA_VISIBLE_DEVICES"] = machine.visible
        stack.enter_context(patch.dict(os.environ, environment))
        stack.enter_context(patch.object(ctypes, "CDLL", _loader(machine)))
        built = {"_torch_is_built_for": lambda platform: platform == machine.built}
        # The card's clock needs no warm-up, and no sample is too short for it.
        brief = {"WARM_UP_SECONDS": 0.0, "SHORTEST_SAMPLE_SECONDS": 0.0}
        standing = {devices: built, timing: brief, **cuda.names(machine, work, mode)}
        for owner, values in standing.items():
            for name, value in values.items():
                stack.enter_context(patch.object(owner, name, value, create=True))
        stack.callback(_forget)
        _forget()
        stack.enter_context(mode)
        stack.enter_context(work)
        yield


def _loader(machine: Machine) -> Any:
    real, library = ctypes.CDLL, driver.Driver(machine)

    def load(name: Any, *rest: Any, **named: Any) -> Any:
        if name not in driver.LIBRARIES:
            return real(name, *rest, **named)
        if machine.built == "hip":
            raise OSError(f"{name}: cannot open shared object file")
        return library

    return load


def _forget() -> None:
    for function in CACHED:
        function.cache_clear()
