"""The rest of this room runs work under it; back comes every storage that PyTorch allocated and freed,
with the operation that made it.

Works the same on real tensors of any device and on fake ones (FakeTensorMode), which have sizes but
no memory: bytes are exact either way. What a kernel allocates inside itself is not seen.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass
from torch.utils._pytree import tree_leaves


@dataclass
class Allocation:
    """One storage. `born` and `died` count operations; `died` is None while it lives."""

    bytes: int
    operation: str
    phase: str
    born: int
    died: int | None = None
    category: str = ""


@dataclass(frozen=True)
class Event:
    """One allocation (`allocated`) or its release, in the order in which they happened."""

    allocation: Allocation
    allocated: bool
    phase: str


class AllocationTrace(TorchDispatchMode):
    """A context in which every new storage on a device is recorded, from its birth to its death."""

    def __init__(self, device: str = "cpu") -> None:
        super().__init__()
        self._kind = torch.device(device).type
        self.allocations: list[Allocation] = []
        self.events: list[Event] = []
        self.operations = 0
        self.live_bytes = 0
        self.phase_ends: dict[str, int] = {}
        self.phase_peaks: dict[str, int] = {}
        self._phase = ""
        self._peak = 0
        self._live: dict[int, Allocation] = {}

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default and isinstance(args[0], FakeTensor):
            return 1.0  # it has no value; any serves, where only sizes are counted
        out = func(*args, **(kwargs or {}))
        self.operations += 1
        for leaf in tree_leaves(out):
            # Of a tensor made of others, those others were recorded when they were made.
            if (
                isinstance(leaf, Tensor)
                and leaf.device.type == self._kind
                and not is_traceable_wrapper_subclass(leaf)
            ):
                self._record(leaf.untyped_storage(), operation=func.overloadpacket.__name__)
        return out

    def _record(self, storage: torch.UntypedStorage, *, operation: str) -> None:
        key = storage._cdata
        if key in self._live or storage.nbytes() == 0:
            return
        allocation = Allocation(storage.nbytes(), operation, self._phase, self.operations)
        self._live[key] = allocation
        self.allocations.append(allocation)
        self.events.append(Event(allocation, allocated=True, phase=self._phase))
        self.live_bytes += allocation.bytes
        self._peak = max(self._peak, self.live_bytes)
        weakref.finalize(storage, self._free, key, allocation).atexit = False

    def _free(self, key: int, allocation: Allocation) -> None:
        del self._live[key]
        allocation.died = self.operations
        self.events.append(Event(allocation, allocated=False, phase=self._phase))
        self.live_bytes -= allocation.bytes

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Attribute what is allocated inside to `name`; keep its peak and the operation it ends on."""
        self._phase, self._peak = name, self.live_bytes
        yield
        self.phase_ends[name] = self.operations
        self.phase_peaks[name] = self._peak

    def live(self, *, phase: str) -> list[Allocation]:
        """What was allocated in `phase` and is still there."""
        return [allocation for allocation in self._live.values() if allocation.phase == phase]

    def label(self, category: str, tensors: Iterable[Tensor | None]) -> None:
        """Say what the storages of these tensors are for."""
        for tensor in tensors:
            for part in () if tensor is None else _parts(tensor):
                allocation = self._live.get(part.untyped_storage()._cdata)
                if allocation is not None:
                    allocation.category = category

    def by_category(self) -> dict[str, int]:
        """Live bytes of each category now; what nobody labelled is named by the phase it was made in."""
        totals: dict[str, int] = {}
        for allocation in self._live.values():
            name = category_of(allocation)
            totals[name] = totals.get(name, 0) + allocation.bytes
        return totals


def _parts(tensor: Tensor) -> Iterator[Tensor]:
    """The plain tensors that a tensor is made of: itself, for most."""
    if is_traceable_wrapper_subclass(tensor):
        names, _ = tensor.__tensor_flatten__()
        for name in names:
            yield from _parts(getattr(tensor, name))
    else:
        yield tensor


def category_of(allocation: Allocation) -> str:
    """What a storage is for: its label, else activations (made forward) or temporaries."""
    if allocation.category:
        return allocation.category
    return "activations" if "forward" in allocation.phase else "temporaries"


def timeline(
    allocations: list[Allocation], *, first: int, last: int
) -> tuple[list[int], dict[str, list[int]]]:
    """Live bytes of each category after each operation from `first` to `last`, both included."""
    categories = sorted({category_of(allocation) for allocation in allocations})
    operations = list(range(first, last + 1))
    changes = {name: [0] * (len(operations) + 1) for name in categories}
    for allocation in allocations:
        died = last + 1 if allocation.died is None else allocation.died
        if died <= first or allocation.born > last:
            continue
        change = changes[category_of(allocation)]
        change[max(allocation.born, first) - first] += allocation.bytes
        if died <= last:
            change[died - first] -= allocation.bytes
    return operations, {name: _running_sum(change[:-1]) for name, change in changes.items()}


def _running_sum(changes: list[int]) -> list[int]:
    total, sums = 0, []
    for change in changes:
        total += change
        sums.append(total)
    return sums


def thin(
    operations: list[int], series: dict[str, list[int]], *, points: int
) -> tuple[list[int], dict[str, list[int]]]:
    """At most about `points` of a timeline: of each stretch, the moment of its highest total."""
    count = len(operations)
    if count <= points:
        return operations, series
    totals = [sum(values[i] for values in series.values()) for i in range(count)]
    edges = [round(i * count / points) for i in range(points + 1)]
    keep = [max(range(a, b), key=totals.__getitem__) for a, b in pairwise(edges) if b > a]
    keep = sorted({0, *keep, count - 1})
    return [operations[i] for i in keep], {
        name: [values[i] for i in keep] for name, values in series.items()
    }
