"""The experiment `parallelism-data` launches it on every rank; back comes how far the gradients are from
those of one process, what the rank sent and what it held.

DDP keeps all of the model on every rank. ZeRO splits first the optimizer's state (stage 1), then
the gradients too (2), then the weights too (3): torch's ZeroRedundancyOptimizer and FSDP2.
"""

from __future__ import annotations

import gc
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

from scripts.parallel.adam import MixedPrecisionAdam
from scripts.parallel.memory import gathered_bytes, settled_bytes, state_bytes
from scripts.parallel.traffic import TransferTrace, bytes_on_the_wire
from scripts.parallel.transformer import (
    Shape,
    Step,
    Transformer,
    batch,
    build,
    difference,
    gradients,
    loss,
    one_process,
    weights,
)
from scripts.parallel.worker import Ranks


def work(
    ranks: Ranks, *, shape: dict[str, int], sequences: int, sequence_length: int
) -> dict[str, Any]:
    """Equality with one process, traffic and memory of each way to split."""
    sizes = Shape(**shape)
    tokens, targets = batch(
        sizes, sequences=sequences, sequence_length=sequence_length, device=ranks.device
    )
    own = slice(
        ranks.rank * sequences // ranks.world_size, (ranks.rank + 1) * sequences // ranks.world_size
    )
    expected = one_process(sizes, tokens, targets, device=ranks.device)
    ranks.beat()
    results: dict[str, Any] = {
        "model": _sizes(sizes),
        "ddp": _ddp(ranks, sizes, tokens[own], targets[own], expected=expected),
        "fsdp": _fsdp(ranks, sizes, tokens[own], targets[own], expected=expected),
    }
    del expected
    gc.freeze()  # what is there already need not be searched each time
    results["memory"] = {
        f"stage_{stage}": _memory(ranks, sizes, tokens[:1, :8], targets[:1, :8], stage=stage)
        for stage in range(4)
    }
    return results


def _sizes(sizes: Shape) -> dict[str, int]:
    """Parameters of the whole, of one block, and of what is in no block."""
    with torch.device("meta"):
        model = Transformer(sizes)
    total = sum(parameter.numel() for parameter in model.parameters())
    block = sum(parameter.numel() for parameter in model.layers()[0].parameters())
    return {
        "layers": sizes.layers,
        "parameters": total,
        "block_parameters": block,
        "other_parameters": total - sizes.layers * block,
    }


def _ddp(
    ranks: Ranks,
    sizes: Shape,
    tokens: Tensor,
    targets: Tensor,
    *,
    expected: Step,
) -> dict[str, Any]:
    model = build(sizes, device=ranks.device, dtype=torch.float32)
    wrapped = DistributedDataParallel(model, gradient_as_bucket_view=True)
    return _step(ranks, wrapped, model, tokens, targets, expected=expected)


def _fsdp(
    ranks: Ranks,
    sizes: Shape,
    tokens: Tensor,
    targets: Tensor,
    *,
    expected: Step,
) -> dict[str, Any]:
    model = build(sizes, device=ranks.device, dtype=torch.float32)
    _shard(model, reshard_after_forward=True)
    return _step(ranks, model, model, tokens, targets, expected=expected)


def _step(
    ranks: Ranks,
    trained: nn.Module,
    model: nn.Module,
    tokens: Tensor,
    targets: Tensor,
    *,
    expected: Step,
) -> dict[str, Any]:
    """One step: how far it is from one process, and what it sent."""
    optimizer = torch.optim.AdamW(model.parameters())
    trace = TransferTrace()

    def forward_and_backward() -> None:
        with trace, trace.phase("forward"):
            result = loss(trained(tokens), targets)
        with trace, trace.phase("backward"):
            result.backward()

    wire = bytes_on_the_wire(forward_and_backward)
    found = gradients(model)
    optimizer.step()
    ranks.beat()
    return {
        "gradient_difference": difference(found, expected.gradients),
        "weight_difference": difference(weights(model), expected.weights),
        "transfers": trace.by_kind(),
        "wire_bytes": wire,
    }


def _memory(
    ranks: Ranks, sizes: Shape, tokens: Tensor, targets: Tensor, *, stage: int
) -> dict[str, int]:
    """Bytes held in the middle of a forward pass, gradients of the step before still there."""
    gc.collect()
    before = settled_bytes(ranks.device)
    model = build(sizes, device=ranks.device, dtype=torch.bfloat16)
    trained: nn.Module = model
    if stage < 2:
        trained = DistributedDataParallel(model, gradient_as_bucket_view=True)
    else:
        _shard(model, reshard_after_forward=stage == 3)
    if stage == 1:
        optimizer: Any = ZeroRedundancyOptimizer(model.parameters(), MixedPrecisionAdam)
        states = optimizer.optim.state
    else:
        optimizer = MixedPrecisionAdam(model.parameters())
        states = optimizer.state
    loss(trained(tokens), targets).backward()
    optimizer.step()
    ranks.beat()
    held = state_bytes(model, states)
    gc.collect()
    between_steps = settled_bytes(ranks.device) - before
    found: dict[str, int] = {}

    def look(*_: object) -> None:
        found["in_forward_bytes"] = settled_bytes(ranks.device) - before
        found["gathered_bytes"] = gathered_bytes(model) if stage > 1 else 0

    # In the last block, all that stage 2 gathers is there.
    model.layers()[-1].mlp.register_forward_hook(look)
    with torch.no_grad():
        trained(tokens)
    ranks.beat()
    return {**held, "between_steps_bytes": between_steps, **found}


def _shard(model: Transformer, *, reshard_after_forward: bool) -> None:
    for block in model.layers():
        fully_shard(block, reshard_after_forward=reshard_after_forward)
    fully_shard(model, reshard_after_forward=reshard_after_forward)
    assert isinstance(model, FSDPModule)
