"""What a rehearsed card does: kernels run on the CPU, and a clock says how long the card would take.

A kernel takes its start, and then as long as the memory or the arithmetic of the card's row lets it, each
at a share of the datasheet. No test says anything of these times but that the code treats them rightly.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.flop_counter import flop_registry

from tests.rehearsal.machines import Card

aten = torch.ops.aten
START_SECONDS = 2e-6
REACHED = 0.8  # of the datasheet's figures
BLOCK = 512
SIXTEEN_BITS = (torch.float16, torch.bfloat16)


class Work(TorchDispatchMode):
    """Every kernel of the card passes here: below autograd, where each is one call."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card
        self.seconds = 0.0
        self.captured: list[float] | None = None
        self.held = self.requested = self.peak = 0
        self._storages: set[int] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        # The host's memory is pinned for copies to a card, and there is no driver here to do so.
        kwargs = {name: value for name, value in (kwargs or {}).items() if name != "pin_memory"}
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        if any(isinstance(leaf, FakeTensor) or leaf.is_meta for leaf in tensors):
            return func(*args, **kwargs)
        if func in FLASH and self.card.capability < (8, 0):
            raise RuntimeError("FlashAttention only supports Ampere GPUs or newer.")
        out = STANDING_IN.get(func, func)(*args, **kwargs)
        results = [leaf for leaf in tree_leaves(out) if isinstance(leaf, Tensor)]
        if not results or isinstance(results[0], FakeTensor) or results[0].is_meta:
            return out
        for result in results:
            self._hold(result.untyped_storage())
        if not func.is_view and tensors:
            self.advance(self._cost(func, args, kwargs, out, tensors, results))
        return out

    def advance(self, seconds: float) -> None:
        """The card's clock goes on; while a graph is captured nothing runs."""
        if self.captured is None:
            self.seconds += seconds
        else:
            self.captured.append(seconds)

    def _cost(
        self, func: Any, args: Any, kwargs: Any, out: Any, tensors: Any, results: Any
    ) -> float:
        row = self.card.row
        touched = {leaf.untyped_storage()._cdata: leaf.nbytes for leaf in (*tensors, *results)}
        count = flop_registry.get(func.overloadpacket)
        operations = count(*args, **kwargs, out_val=out) if count else 0
        short = tensors[-1].dtype in SIXTEEN_BITS
        peak = (row.dense_fp16 if short else row.dense_fp32) or row.memory_bandwidth
        moving = sum(touched.values()) / row.memory_bandwidth
        return START_SECONDS + max(moving, operations / peak) / REACHED

    def _hold(self, storage: torch.UntypedStorage) -> None:
        key, size = storage._cdata, storage.nbytes()
        if key in self._storages or size == 0:
            return
        block = math.ceil(size / BLOCK) * BLOCK
        self._storages.add(key)
        self._change(block, size, key=None)
        if self.held > self.card.memory_bytes:
            self._change(-block, -size, key=key)
            raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes.")
        weakref.finalize(storage, self._change, -block, -size, key=key).atexit = False

    def _change(self, block: int, size: int, *, key: int | None) -> None:
        self.held += block
        self.requested += size
        self.peak = max(self.peak, self.held)
        self._storages.discard(key or 0)


def _as_shaped(func: Any, *args: Any, **kwargs: Any) -> Any:
    """What a kernel of CUDA gives, by its shape function; zeros, which stay where nobody computes."""
    meta = tree_map_only(Tensor, lambda leaf: leaf.to("meta"), (args, kwargs))
    shaped = func(*meta[0], **meta[1])
    return tree_map_only(Tensor, lambda leaf: torch.zeros_like(leaf, device="cpu"), shaped)


def _attention(func: Any) -> Any:
    def forward(query: Tensor, key: Tensor, value: Tensor, *rest: Any, **named: Any) -> Any:
        out = _as_shaped(func, query, key, value, *rest, **named)
        causal = rest[1] if "flash" in str(func) else rest[3]
        attend = torch.nn.functional.scaled_dot_product_attention
        out[0].copy_(attend(query, key, value, is_causal=causal, enable_gqa=True))
        return out

    return forward


def _shaped(func: Any) -> Any:
    return lambda *args, **kwargs: _as_shaped(func, *args, **kwargs)


def _int4_packed(bytes_: Tensor, inner: int) -> Tensor:
    """CUDA takes two columns in a byte, the even one in its upper half; the CPU's kernel takes integers."""
    columns = torch.stack([bytes_ >> 4, bytes_ & 15], dim=-1).flatten(1).to(torch.int32)
    return aten._convert_weight_to_int4pack_for_cpu(columns, 1)


FLASH = (aten._scaled_dot_product_flash_attention.default,)

# Kernels that a CPU does not have. The gradients of attention are zeros: nothing here judges them.
STANDING_IN = {
    **{
        func: _attention(func)
        for func in (
            aten._scaled_dot_product_flash_attention.default,
            aten._scaled_dot_product_efficient_attention.default,
        )
    },
    **{
        func: _shaped(func)
        for func in (
            aten._scaled_dot_product_flash_attention_backward.default,
            aten._scaled_dot_product_efficient_attention_backward.default,
        )
    },
    aten._convert_weight_to_int4pack.default: _int4_packed,
    aten._weight_int4pack_mm.default: aten._weight_int4pack_mm_for_cpu.default,
}
