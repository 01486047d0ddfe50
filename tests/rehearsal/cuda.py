"""torch.cuda on a rehearsed machine: devices called "cuda" are the CPU, unless torch itself asks."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map_only

from tests.rehearsal.machines import Machine
from tests.rehearsal.work import Work

TORCH = str(Path(torch.__file__).parent)
CPU = torch.device("cpu")
ASKED = (Tensor.is_cuda.__get__, Tensor.device.__get__)
NAMED = re.compile(r"cuda(:\d+)?")


def on_cpu(value: Any) -> Any:
    """The CPU for any name or object of a CUDA device; what is neither, as it is."""
    if isinstance(value, torch.device):
        return CPU if value.type == "cuda" else value
    return "cpu" if isinstance(value, str) and NAMED.fullmatch(value) else value


def _ours(depth: int) -> bool:
    """Whether the code that asks is this project's: torch's own is told where tensors really are."""
    return not sys._getframe(depth + 1).f_code.co_filename.startswith(TORCH)


class Devices(TorchFunctionMode):
    """Every call of torch passes here: tensors asked for on "cuda" are made on the CPU and say "cuda"."""

    def __init__(self) -> None:
        super().__init__()
        self.current = 0

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func in ASKED and _ours(1):
            return True if func == ASKED[0] else torch.device("cuda", self.current)
        args, kwargs = tree_map_only((str, torch.device), on_cpu, (args, kwargs or {}))
        return func(*args, **kwargs)


class Event:
    """Notes the card's clock; `elapsed_time` is in milliseconds."""

    work: Work

    def __init__(self, *, enable_timing: bool) -> None:
        self.at = 0.0

    def record(self) -> None:
        self.at = self.work.seconds

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, end: Event) -> float:
        return 1e3 * (end.at - self.at)


class Stream:
    """Work is in order here, so nothing waits."""

    def wait_stream(self, other: Stream) -> None:
        pass

    def synchronize(self) -> None:
        pass


class Graph:
    """Keeps how long its kernels take; a replay lets the clock go on and writes nothing."""

    work: Work

    def __init__(self) -> None:
        self.seconds = 0.0

    def replay(self) -> None:
        self.work.advance(self.seconds)


@contextmanager
def _capture(graph: Graph) -> Iterator[None]:
    graph.work.captured = []
    try:
        yield
    finally:
        graph.seconds = sum(graph.work.captured)
        graph.work.captured = None


class _Generator(torch.Generator):
    def __new__(cls, device: Any = "cpu") -> torch.Generator:
        return super().__new__(cls, on_cpu(device))


class _Autocast(torch.autocast):
    def __init__(self, device_type: str, *rest: Any, **named: Any) -> None:
        super().__init__(on_cpu(device_type), *rest, **named)


def names(machine: Machine, work: Work, devices: Devices) -> dict[Any, dict[str, Any]]:
    """What stands in for what: by the object that has it, each name with its value."""
    cards = [machine.cards[number] for number in machine.seen()]

    def card(device: Any = None) -> Any:
        if device is None:
            return cards[devices.current]
        place = torch.device(device) if isinstance(device, str) else device
        return cards[place if isinstance(place, int) else place.index or 0]

    def set_device(device: Any) -> None:
        place = torch.device(device) if isinstance(device, str) else device
        devices.current = place if isinstance(place, int) else place.index or 0

    def properties(device: Any = None) -> Any:
        found = card(device)
        return SimpleNamespace(
            name=found.name,
            total_memory=found.memory_bytes,
            L2_cache_size=found.cache_bytes,
            multi_processor_count=found.multiprocessors,
        )

    def forget_peak(device: Any = None) -> None:
        work.peak = work.held

    one = Stream()
    hip = machine.built == "hip"
    return {
        torch.cuda: {
            "is_available": lambda: True,
            "is_initialized": lambda: True,
            "device_count": lambda: len(cards),
            "get_device_name": lambda device=None: card(device).name,
            "get_device_capability": lambda device=None: card(device).capability,
            "get_device_properties": properties,
            "set_device": set_device,
            "current_device": lambda: devices.current,
            "device": lambda device: nullcontext(),
            "synchronize": lambda device=None: None,
            "Event": type("Event", (Event,), {"work": work}),
            "Stream": Stream,
            "stream": lambda stream: nullcontext(),
            "current_stream": lambda device=None: one,
            "CUDAGraph": type("Graph", (Graph,), {"work": work}),
            "graph": _capture,
            "empty_cache": lambda: None,
            "memory_allocated": lambda device=None: work.held,
            "max_memory_allocated": lambda device=None: work.peak,
            "reset_peak_memory_stats": forget_peak,
            "memory_stats": lambda device=None: {"requested_bytes.all.current": work.requested},
            "get_allocator_backend": lambda: "native",
        },
        torch._C: {"_cuda_clearCublasWorkspaces": lambda: None},
        torch.version: {
            "cuda": None if hip else "13.0",
            "hip": "7.1.52802" if hip else None,
        },
        torch: {
            "Generator": _Generator,
            "autocast": _Autocast,
            "is_autocast_enabled": _mapped(torch.is_autocast_enabled),
            "get_autocast_dtype": _mapped(torch.get_autocast_dtype),
        },
    }


def _mapped(function: Any) -> Any:
    return lambda *args: function(*map(on_cpu, args))
