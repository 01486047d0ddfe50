"""The accounting of activations hands it what a forward pass returned; back comes each tensor that
autograd keeps for the backward pass: of which operation, in which module.

The graph that a forward pass leaves behind is walked, and every tensor that an operation saved is
read off it: `AddmmBackward0` saved its `mat1`. Works on real and on fake tensors alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

PREFIX = "_saved_"
# The second matrix of a linear layer's product is its weight, or autocast's copy of it.
WEIGHT_OPERANDS = {("AddmmBackward0", "mat2"), ("MmBackward0", "mat2")}


@dataclass(frozen=True)
class SavedTensor:
    """One tensor that one operation saved. `offset` in elements; `storage` identifies its memory."""

    sequence: int
    module: str
    operation: str
    name: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    offset: int
    storage: int
    storage_bytes: int
    is_weight: bool

    @property
    def identity(self) -> tuple[int, int, int]:
        """Equal for two saves of the same elements."""
        return self.storage, self.offset, self.bytes


class ModuleSpans:
    """Which module ran when, by autograd's count of operations: hooks on every submodule."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int, str]] = []

    @contextmanager
    def watch(self, model: nn.Module) -> Iterator[None]:
        """Note the first and last operation of each submodule's forward pass."""
        handles = []
        for name, module in model.named_modules():
            begun: list[int] = []

            def enter(_module: nn.Module, _args: Any, begun: list[int] = begun) -> None:
                begun.append(_operations_so_far())

            def leave(
                _module: nn.Module,
                _args: Any,
                _out: Any,
                begun: list[int] = begun,
                name: str = name,
            ) -> None:
                self._spans.append((begun.pop(), _operations_so_far(), name))

            handles += [
                module.register_forward_pre_hook(enter),
                module.register_forward_hook(leave),
            ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def module_of(self, sequence: int) -> str:
        """The innermost module whose forward pass made this operation."""
        inside = [span for span in self._spans if span[0] <= sequence < span[1]]
        return min(inside, key=lambda span: span[1] - span[0])[2] if inside else ""


def _operations_so_far() -> int:
    return int(torch._C._autograd._get_sequence_nr())


def saved_tensors(
    outputs: Iterable[Tensor], *, model: nn.Module, spans: ModuleSpans
) -> list[SavedTensor]:
    """Every tensor saved in the graph behind `outputs`, in forward order, weights included."""
    weights = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    found = []
    for node in _nodes(outputs):
        for name, tensor in _saved_by(node):
            storage = tensor.untyped_storage()
            operand = (node.name(), name)
            found.append(
                SavedTensor(
                    sequence=node._sequence_nr(),
                    module=spans.module_of(node._sequence_nr()),
                    operation=node.name(),
                    name=name,
                    shape=tuple(tensor.shape),
                    dtype=str(tensor.dtype).removeprefix("torch."),
                    bytes=tensor.numel() * tensor.element_size(),
                    offset=int(tensor.storage_offset()),
                    storage=storage._cdata,
                    storage_bytes=storage.nbytes(),
                    is_weight=storage._cdata in weights or operand in WEIGHT_OPERANDS,
                )
            )
    return found


def _nodes(outputs: Iterable[Tensor]) -> list[Node]:
    """The graph's operations in forward order; what only collects gradients is left out."""
    waiting = [tensor.grad_fn for tensor in outputs]
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen or node.name() == "torch::autograd::AccumulateGrad":
            continue
        seen.add(node)
        waiting.extend(following for following, _ in node.next_functions)
    return sorted(seen, key=lambda node: node._sequence_nr())


def _saved_by(node: Node) -> Iterator[tuple[str, Tensor]]:
    if isinstance(node, BackwardCFunction):  # an autograd function written in Python
        for index, tensor in enumerate(node.saved_tensors):
            yield f"saved_{index}", tensor
        return
    for attribute in sorted(dir(node)):
        if not attribute.startswith(PREFIX):
            continue
        value = getattr(node, attribute)
        for tensor in value if isinstance(value, tuple | list) else (value,):
            if isinstance(tensor, Tensor) and not _is_number(tensor):
                yield attribute.removeprefix(PREFIX), tensor


def _is_number(tensor: Tensor) -> bool:
    """Whether this is a Python number that an operation was given, as autograd holds it."""
    return tensor.dim() == 0 and tensor.dtype == torch.float64


def once_by_tensor(saved: Iterable[SavedTensor]) -> list[SavedTensor]:
    """The first save of each tensor that is not a weight: a view counts its own elements."""
    kept: dict[tuple[int, int, int], SavedTensor] = {}
    for tensor in saved:
        if not tensor.is_weight:
            kept.setdefault(tensor.identity, tensor)
    return list(kept.values())


def once_by_storage(saved: Iterable[SavedTensor]) -> list[SavedTensor]:
    """The first save in each storage that holds no weight, counted as that whole storage."""
    kept: dict[int, SavedTensor] = {}
    for tensor in saved:
        if not tensor.is_weight:
            kept.setdefault(tensor.storage, replace(tensor, bytes=tensor.storage_bytes))
    return list(kept.values())


def total_bytes(saved: Iterable[SavedTensor]) -> int:
    """Bytes of all of them together."""
    return sum(tensor.bytes for tensor in saved)
