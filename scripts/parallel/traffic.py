"""The lab's ranks run their work under it; back comes each collective with its bytes, and the bytes that
the kernel counted on the wire.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch._C._distributed_c10d import _resolve_process_group
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# The operation's name in either of torch's two libraries of collectives, and which of its tensors
# is whole: what is reduced or sent goes in, what is gathered comes out.
WHOLE = {
    "allreduce_": ("all_reduce", "in"),
    "all_reduce": ("all_reduce", "in"),
    "all_reduce_": ("all_reduce", "in"),
    "_allgather_base_": ("all_gather", "out"),
    "all_gather_into_tensor": ("all_gather", "out"),
    "_reduce_scatter_base_": ("reduce_scatter", "in"),
    "reduce_scatter_tensor": ("reduce_scatter", "in"),
    "broadcast_": ("broadcast", "in"),
    "send": ("send", "in"),
}
GLOO_HEADER_BYTES = 48


@dataclass(frozen=True)
class Transfer:
    """One collective or send: the bytes of its whole tensor, and among how many ranks."""

    kind: str
    bytes: int
    ranks: int
    group: str
    phase: str

    @property
    def bytes_sent(self) -> float:
        """What each rank sends by the cheapest algorithm.

        An all-reduce is a reduce-scatter and an all-gather, and each of those sends every part
        but one once.
        """
        share = (self.ranks - 1) / self.ranks
        passes = {"all_reduce": 2 * share, "send": 1}
        return passes.get(self.kind, share) * self.bytes

    @property
    def gloo_bytes_sent(self) -> float:
        """What each rank sends by gloo, which sums all of a tensor to give each rank a part."""
        return (2 if self.kind == "reduce_scatter" else 1) * self.bytes_sent


class TransferTrace(TorchDispatchMode):
    """A context that lists every collective and send which this rank starts inside it."""

    def __init__(self) -> None:
        super().__init__()
        self.transfers: list[Transfer] = []
        self._phase = ""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Attribute what is sent inside to `name`."""
        before, self._phase = self._phase, name
        yield
        self._phase = before

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented  # let it say what it sends of plain tensors
        out = func(*args, **(kwargs or {}))
        if func.namespace in ("c10d", "_c10d_functional"):
            name = func.overloadpacket.__name__
            if name in WHOLE:
                self._add(name, args=args, out=out)
        return out

    def _add(self, name: str, *, args: tuple[Any, ...], out: Any) -> None:
        kind, side = WHOLE[name]
        tensors = [leaf for leaf in tree_leaves(args) if isinstance(leaf, Tensor)]
        if side == "out" and not name.startswith("_"):
            tensors = [out]
        # `_allgather_base_(output, input)` and `_reduce_scatter_base_(output, input)`.
        if name.startswith("_"):
            tensors = tensors[:1] if side == "out" else tensors[1:]
        group = _group(args)
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        self.transfers.append(
            Transfer(kind, size, group.size(), group.group_desc.removeprefix("mesh_"), self._phase)
        )

    def by_kind(self) -> dict[str, dict[str, float]]:
        """Totals by phase and kind, such as "forward_all_reduce"."""
        return self._totals(lambda transfer: f"{transfer.phase}_{transfer.kind}".lstrip("_"))

    def by_group(self) -> dict[str, dict[str, float]]:
        """Totals by group of ranks and kind, such as "tensor_all_reduce"."""
        return self._totals(lambda transfer: f"{transfer.group}_{transfer.kind}")

    def _totals(self, key: Callable[[Transfer], str]) -> dict[str, dict[str, float]]:
        totals: dict[str, dict[str, float]] = {}
        for transfer in self.transfers:
            total = totals.setdefault(
                key(transfer), {"count": 0, "bytes": 0, "bytes_sent": 0, "gloo_bytes_sent": 0}
            )
            total["count"] += 1
            total["bytes"] += transfer.bytes
            total["bytes_sent"] += transfer.bytes_sent
            total["gloo_bytes_sent"] += transfer.gloo_bytes_sent
        return totals


def _group(args: tuple[Any, ...]) -> dist.ProcessGroup:
    for argument in args:
        if isinstance(argument, torch.ScriptObject):
            with contextlib.suppress(Exception):
                return dist.ProcessGroup.unbox(argument)
    names: list[Any] = [argument for argument in args if isinstance(argument, str)]
    return _resolve_process_group(names[-1])


def bytes_on_the_wire(act: Callable[[], None]) -> int | None:
    """The bytes that this rank's connections carried to other ranks during `act`.

    Counted by the kernel, with the headers of gloo's messages, and a last exchange of headers alone
    after which every rank has all that was sent to it. None where the kernel does not say (it is
    Linux that does), and for ranks that share memory instead, as NCCL's of one node do.
    """
    if sys.platform != "linux" or dist.get_backend() != "gloo":
        act()
        return None
    dist.barrier()
    before = _bytes_sent()
    act()
    dist.barrier()
    return _bytes_sent() - before


def _bytes_sent() -> int:
    """Bytes sent so far, once none are waiting and the count has stood still."""
    last = None
    while True:
        counts = [_tcp_info(connection) for connection in _connections()]
        total = sum(sent - again for sent, again, _ in counts)
        if total == last and not any(waiting for _, _, waiting in counts):
            return total
        last = total
        time.sleep(0.01)


def _tcp_info(connection: socket.socket) -> tuple[int, int, int]:
    """Bytes sent, sent again, and waiting: of `struct tcp_info` in linux/tcp.h."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 216)
    connection.close()
    return (*struct.unpack_from("QQ", info, 200), *struct.unpack_from("I", info, 144))


def _connections() -> Iterator[socket.socket]:
    """The process's connections to other ranks, not to the store through which they met."""
    store = int(os.environ["MASTER_PORT"])
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # closed since, no socket, or not connected
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                connection = socket.socket(fileno=os.dup(int(name)))
                ends = (connection.getsockname(), connection.getpeername())
                if connection.family != socket.AF_UNIX and store not in [end[1] for end in ends]:
                    yield connection
