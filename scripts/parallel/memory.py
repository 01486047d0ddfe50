"""The lab's ranks ask it what they hold: back come the bytes of every tensor that is alive, counted once
by its storage.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor


def local(tensor: Tensor) -> Tensor:
    """This rank's part of a tensor that is split; any other tensor itself."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def storage_bytes(tensors: Iterable[Tensor | None]) -> int:
    """Bytes of the storages behind tensors, each counted once."""
    return sum(_storages(tensors).values())


def settled_bytes(device: torch.device, *, readings: int = 10, seconds: float = 0.02) -> int:
    """The least of some readings of `live_bytes` while this rank does nothing else.

    A thread of the collectives lets go of a gathered buffer only some time after its result was
    waited for; until then the buffer is counted though nothing will use it again.
    """
    least = live_bytes(device)
    for _ in range(readings):
        time.sleep(seconds)
        least = min(least, live_bytes(device))
    return least


def live_bytes(device: torch.device) -> int:
    """Bytes of all tensors on a device that Python can reach."""
    return storage_bytes(
        found
        for found in gc.get_objects()
        if type(found) in (Tensor, nn.Parameter) and found.device.type == device.type
    )


def gathered_bytes(model: nn.Module) -> int:
    """Bytes of the weights that FSDP has gathered whole at this moment."""
    return storage_bytes(
        parameter for parameter in model.parameters() if not isinstance(parameter, DTensor)
    )


def state_bytes(model: nn.Module, states: Mapping[Any, Mapping[str, Any]]) -> dict[str, int]:
    """Bytes of weights, gradients and optimizer state that this rank keeps between steps."""
    parameters = list(model.parameters())
    return {
        "weight_bytes": storage_bytes(parameters),
        "gradient_bytes": storage_bytes(parameter.grad for parameter in parameters),
        "optimizer_bytes": storage_bytes(
            value
            for state in states.values()
            for value in state.values()
            if isinstance(value, Tensor)
        ),
    }


def _storages(tensors: Iterable[Tensor | None]) -> dict[int, int]:
    storages = {}
    for tensor in tensors:
        if tensor is not None:
            storage = local(tensor).untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
    storages.pop(0, None)
    return storages
