"""The experiment `training-memory` takes steps of a recipe through it; back come, phase by phase, the
bytes of weights, gradients, optimizer and activations.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import nn

from scripts.accounting.allocations import Allocation, AllocationTrace, Event
from scripts.accounting.fake import tensors
from scripts.accounting.training_recipes import Recipe, Training


@dataclass(frozen=True)
class Phase:
    """Bytes at the end of a phase, by category and together, and the most at any moment of it.

    `allocated`, `requested` and `allocated_peak` are the CUDA allocator's own figures; None
    elsewhere.
    """

    by_category: dict[str, int]
    bytes: int
    peak: int
    allocated: int | None = None
    requested: int | None = None
    allocated_peak: int | None = None


@dataclass(frozen=True)
class Steps:
    """What training steps held; `ends` says on which operation each phase ended."""

    parameters: int
    phases: dict[str, Phase]
    ends: dict[str, int]
    allocations: list[Allocation]
    events: list[Event]


def take_steps(
    recipe: Recipe,
    build: Callable[[], nn.Module],
    *,
    vocab_size: int,
    sequences: int,
    tokens: int,
    device: str = "cpu",
    real: bool = False,
    count: int = 2,
) -> Steps:
    """Build a model and take one or two steps. On fake tensors unless `real`."""
    on_cuda = real and device.startswith("cuda")
    if on_cuda:
        _start_afresh()
    baseline = torch.cuda.memory_allocated(device) if on_cuda else 0
    phases: dict[str, Phase] = {}
    with tensors(real=real, device=device, dtype=recipe.dtype), AllocationTrace(device) as trace:

        def run(name: str, *acts: Callable[[], None]) -> None:
            if on_cuda:
                torch.cuda.reset_peak_memory_stats(device)
            with trace.phase(name):
                for act in acts:
                    act()
            for category, held in training.tensors().items():
                trace.label(category, held)
            phases[name] = _phase(trace, name, device if on_cuda else None, baseline)

        with trace.phase("model"):
            training = Training(recipe, build(), vocab_size=vocab_size)
            training.read(sequences=sequences, tokens=tokens)
        run("model")
        run("forward", training.forward)
        run("backward", training.backward)
        run("first_step", training.step)
        if count == 2:
            run("second_forward", training.clear, training.forward)
            run("second_backward", training.backward)
            run("second_step", training.step)
        steps = Steps(
            parameters=sum(weight.numel() for weight in training.weights),
            phases=phases,
            ends=dict(trace.phase_ends),
            # As they stand: what is still alive now dies when this function returns.
            allocations=[replace(allocation) for allocation in trace.allocations],
            events=list(trace.events),
        )
    return steps


def _start_afresh() -> None:
    """So that each run pays for its own workspaces, and no block of the last one serves it.

    cuBLAS has one per handle and stream; a handle belongs to a thread, so the backward pass, which
    autograd runs on a thread of its own, takes another (ATen/cuda/CublasHandlePool.cpp).
    """
    gc.collect()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()


def _phase(trace: AllocationTrace, name: str, cuda: str | None, baseline: int) -> Phase:
    phase = Phase(trace.by_category(), trace.live_bytes, trace.phase_peaks[name])
    if cuda is None:
        return phase
    stats = torch.cuda.memory_stats(cuda)
    return replace(
        phase,
        allocated=torch.cuda.memory_allocated(cuda) - baseline,
        requested=stats["requested_bytes.all.current"] - baseline,
        allocated_peak=torch.cuda.max_memory_allocated(cuda) - baseline,
    )
