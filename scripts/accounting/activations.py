"""The experiment `activations` runs one transformer layer through it; back comes what the layer keeps for
its backward pass, counted three ways.

By tensor: each saved tensor once, a view at its own size. By storage: the memory that saved tensors
keep alive, whole. Live: whatever was allocated forward and is still there, saved or not; this one
holds under recomputation too, where autograd's graph no longer shows what is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from scripts.accounting.allocations import AllocationTrace, timeline
from scripts.accounting.fake import tensors
from scripts.accounting.saved_tensors import (
    ModuleSpans,
    SavedTensor,
    once_by_storage,
    once_by_tensor,
    saved_tensors,
    total_bytes,
)
from scripts.models import gpt, llama_fused
from scripts.models.attention import Kernel
from scripts.models.rotary import rotary_tables

ROTARY_BASE = 10_000.0


@dataclass(frozen=True)
class Shape:
    """The shape of one decoder layer and of the batch that it sees."""

    sequences: int
    tokens: int
    width: int
    heads: int
    kv_heads: int
    intermediate: int

    @property
    def hidden_elements(self) -> int:
        """Elements of one hidden state: s·b·h."""
        return self.sequences * self.tokens * self.width


@dataclass(frozen=True)
class Case:
    """One way to run a layer. `precision`: bf16, fp32 or autocast (FP32 weights, BF16 products)."""

    block: str
    kernel: Kernel
    precision: str
    dropout: float = 0.0
    recompute: str = "none"

    @property
    def dtype(self) -> torch.dtype:
        """Of weights and of the hidden states between layers."""
        return torch.bfloat16 if self.precision == "bf16" else torch.float32


@dataclass(frozen=True)
class Kept:
    """Bytes kept after the forward pass of one layer, its input included, weights left out."""

    saved: list[SavedTensor]
    by_storage: int
    live: int
    weight_copies: int
    allocated: int | None

    @property
    def by_tensor(self) -> int:
        """Bytes of all saved tensors, those that share a storage counted each."""
        return total_bytes(self.saved)


def kept_by_layer(case: Case, shape: Shape, *, device: str = "cpu", real: bool = False) -> Kept:
    """Run one layer forward and count what it keeps; `allocated` is the CUDA allocator's figure."""
    on_cuda = real and device.startswith("cuda")
    kind = torch.device(device).type
    with tensors(real=real, device=device, dtype=case.dtype), AllocationTrace(device) as trace:
        layer, shared = _layer(case, shape)
        x = torch.zeros(shape.sequences, shape.tokens, shape.width).requires_grad_()
        run: Callable[..., Tensor] = layer
        if case.recompute == "full":
            run = _recomputed(layer, preserve_rng_state=case.dropout > 0)
        spans = ModuleSpans()
        before = _allocated_before(device) if on_cuda else 0
        with (
            trace.phase("forward"),
            torch.autocast(kind, torch.bfloat16, enabled=case.precision == "autocast"),
            spans.watch(layer),
        ):
            y = run(x, *shared)
        allocated = torch.cuda.memory_allocated(device) - before if on_cuda else None
        alive = sum(allocation.bytes for allocation in trace.live(phase="forward"))
        # The output is the next layer's input, and counted there.
        outside = x.nbytes - y.nbytes
        saved: list[SavedTensor] = []
        if case.recompute == "none":
            saved = saved_tensors([y], model=layer, spans=spans)
        copies = _weight_copies(saved, layer, precision=case.precision, recompute=case.recompute)
        own = _without(saved, shared)
    return Kept(
        saved=once_by_tensor(own),
        by_storage=total_bytes(once_by_storage(own)),
        live=alive + outside - copies,
        weight_copies=copies,
        allocated=None if allocated is None else allocated + outside - copies,
    )


def _allocated_before(device: str) -> int:
    """Bytes allocated now, the workspace that a first product takes among them."""
    one = torch.ones(16, 16)
    torch.mm(one, one)
    del one
    return torch.cuda.memory_allocated(device)


@dataclass(frozen=True)
class Stack:
    """Bytes of activations and temporaries of a whole stack of layers, weights' gradients left out."""

    kept: int
    peak: int


def kept_by_stack(
    case: Case, shape: Shape, *, layers: int, device: str = "cpu", real: bool = False
) -> Stack:
    """Run so many layers forward and backward: kept in between, and at most at any moment."""
    kind = torch.device(device).type
    with tensors(real=real, device=device, dtype=case.dtype), AllocationTrace(device) as trace:
        made = [_layer(case, shape) for _ in range(layers)]
        for layer, shared in made:
            trace.label("weights", (*layer.parameters(), *shared))
        with trace.phase("forward"):
            x = torch.zeros(shape.sequences, shape.tokens, shape.width).requires_grad_()
            y = x
            with torch.autocast(kind, torch.bfloat16, enabled=case.precision == "autocast"):
                for layer, shared in made:
                    run: Callable[..., Tensor] = layer
                    if case.recompute == "full":
                        run = _recomputed(layer, preserve_rng_state=case.dropout > 0)
                    y = run(y, *shared)
        kept = trace.by_category()["activations"] - y.nbytes
        with trace.phase("backward"):
            y.backward(torch.zeros_like(y))
            for layer, _ in made:
                trace.label("gradients", (weight.grad for weight in layer.parameters()))
            trace.label("gradients", [x.grad])
    _, series = timeline(trace.allocations, first=1, last=trace.operations)
    passing = zip(series["activations"], series["temporaries"], strict=True)
    return Stack(kept=kept, peak=max(map(sum, passing)))


def _layer(case: Case, shape: Shape) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The layer, and what it is given besides hidden states, which all layers share."""
    selective = case.recompute == "selective"
    if case.block == "gpt":
        config = gpt.GPTConfig(
            shape.width, shape.heads, case.kernel, case.dropout, recompute_attention=selective
        )
        return gpt.Layer(config), ()
    layer = llama_fused.Layer(
        llama_fused.LlamaConfig(
            vocab_size=1,
            hidden_size=shape.width,
            num_hidden_layers=1,
            num_attention_heads=shape.heads,
            num_key_value_heads=shape.kv_heads,
            intermediate_size=shape.intermediate,
        ),
        case.kernel,
    )
    layer.self_attn.recompute = selective
    tables = rotary_tables(
        shape.tokens,
        rotary_dim=shape.width // shape.heads,
        base=ROTARY_BASE,
        like=layer.input_layernorm.weight,
    )
    return layer, tables


def _recomputed(layer: nn.Module, *, preserve_rng_state: bool) -> Callable[..., Tensor]:
    def run(*inputs: Tensor) -> Tensor:
        out: Tensor = checkpoint(
            layer, *inputs, use_reentrant=False, preserve_rng_state=preserve_rng_state
        )
        return out

    return run


def _without(saved: Iterable[SavedTensor], shared: Iterable[Tensor]) -> list[SavedTensor]:
    storages = {tensor.untyped_storage()._cdata for tensor in shared}
    return [tensor for tensor in saved if tensor.storage not in storages]


def _weight_copies(
    saved: Iterable[SavedTensor], layer: nn.Module, *, precision: str, recompute: str
) -> int:
    """Bytes of the 16-bit copies of weights that autocast makes and backward needs."""
    if precision != "autocast" or recompute == "full":
        return 0
    matrices = [parameter for parameter in layer.parameters() if parameter.dim() == 2]
    return sum(2 * matrix.numel() for matrix in matrices)
