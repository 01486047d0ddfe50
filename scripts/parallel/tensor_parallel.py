"""The experiment `parallelism-tensor` launches it on every rank, which has a part of every matrix; back
comes the difference from one process and what was sent.

The same split three times: written out (snippets/examples/tensor_parallel_block.py), by torch's
`parallelize_module`, and with the stretches between the matrices split by tokens as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

from scripts.parallel.traffic import TransferTrace, bytes_on_the_wire
from scripts.parallel.transformer import (
    MLP,
    Attention,
    Shape,
    Transformer,
    batch,
    build,
    difference,
    loss,
)
from scripts.parallel.worker import Ranks
from snippets.examples.tensor_parallel_block import TensorParallel

FIRST = ("query", "key", "value", "up")
LAST = ("output", "down")


def work(
    ranks: Ranks, *, shape: dict[str, int], sequences: int, sequence_length: int
) -> dict[str, Any]:
    """Equality with one process and traffic of each way to write the split."""
    sizes = Shape(**shape)
    tokens, targets = batch(
        sizes, sequences=sequences, sequence_length=sequence_length, device=ranks.device
    )
    mesh = init_device_mesh(ranks.device.type, (ranks.world_size,), mesh_dim_names=("tensor",))
    whole = build(sizes, device=ranks.device, dtype=torch.float32)
    whole_loss = loss(whole(tokens), targets)
    whole_loss.backward()
    ways: dict[str, Callable[[Transformer, DeviceMesh], None]] = {
        "written_out": write_out,
        "parallelize_module": lambda model, mesh: split_heads_and_mlp(model.layers(), mesh),
        "sequence_parallel": split_tokens_too,
    }
    results = {}
    for name, split in ways.items():
        model = build(sizes, device=ranks.device, dtype=torch.float32)
        split(model, mesh)
        results[name] = _step(model, tokens, targets, whole=whole)
        ranks.beat()
    return results


def write_out(model: Transformer, mesh: DeviceMesh) -> None:
    """By hand: the module that chapter 4 prints."""
    for block in model.layers():
        attention, mlp = block.attention, block.mlp
        assert isinstance(attention, Attention)
        assert isinstance(mlp, MLP)
        block.attention = TensorParallel(
            attention,
            first=[attention.query, attention.key, attention.value],
            last=attention.output,
        )
        block.mlp = TensorParallel(mlp, first=[mlp.up], last=mlp.down)


def split_heads_and_mlp(blocks: Iterable[nn.Module], mesh: DeviceMesh) -> None:
    """The same, said to torch."""
    for block in blocks:
        parallelize_module(
            block,
            mesh,
            {
                "attention": PrepareModuleInput(
                    input_layouts=Replicate(), desired_input_layouts=Replicate()
                ),
                **{f"attention.{name}": ColwiseParallel() for name in FIRST[:3]},
                "attention.output": RowwiseParallel(),
                "mlp.up": ColwiseParallel(),
                "mlp.down": RowwiseParallel(),
            },
        )


def split_tokens_too(model: Transformer, mesh: DeviceMesh) -> None:
    """Between the matrices each rank keeps its share of the tokens (sequence parallelism)."""
    gather: ParallelStyle = PrepareModuleInput(
        input_layouts=Shard(1), desired_input_layouts=Replicate()
    )
    parallelize_module(
        model,
        mesh,
        {
            "embedding": PrepareModuleOutput(
                output_layouts=Replicate(), desired_output_layouts=Shard(1)
            ),
            "norm": SequenceParallel(),
            "head": PrepareModuleInput(
                input_layouts=Shard(1), desired_input_layouts=Replicate(), use_local_output=True
            ),
        },
    )
    for block in model.layers():
        parallelize_module(
            block,
            mesh,
            {
                "attention_norm": SequenceParallel(),
                "attention": gather,
                **{f"attention.{name}": ColwiseParallel() for name in FIRST[:3]},
                "attention.output": RowwiseParallel(output_layouts=Shard(1)),
                "mlp_norm": SequenceParallel(),
                "mlp": gather,
                "mlp.up": ColwiseParallel(),
                "mlp.down": RowwiseParallel(output_layouts=Shard(1)),
            },
        )


def _step(
    model: Transformer, tokens: Tensor, targets: Tensor, *, whole: Transformer
) -> dict[str, Any]:
    trace = TransferTrace()

    def forward_and_backward() -> None:
        with trace, trace.phase("forward"):
            result = loss(model(tokens), targets)
        with trace, trace.phase("backward"):
            result.backward()

    wire = bytes_on_the_wire(forward_and_backward)
    own = {name.replace(".part", ""): _local(p) for name, p in model.named_parameters()}
    gradients = {
        name.replace(".part", ""): _reduced(p.grad)
        for name, p in model.named_parameters()
        if p.grad is not None
    }
    expected = {
        name: _own_part(name, p.grad, like=own[name])
        for name, p in whole.named_parameters()
        if p.grad is not None
    }
    return {
        "parameters_per_rank": sum(part.numel() for part in own.values()),
        "gradient_difference": difference(gradients, expected),
        "transfers": trace.by_kind(),
        "wire_bytes": wire,
    }


def _own_part(name: str, tensor: Tensor, *, like: Tensor) -> Tensor:
    matrix = name.split(".")[-2]
    if matrix in FIRST + LAST:
        dimension = 0 if matrix in FIRST else 1
        tensor = tensor.chunk(dist.get_world_size(), dimension)[dist.get_rank()]
    assert tensor.shape == like.shape
    return tensor


def _local(tensor: Tensor) -> Tensor:
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def _reduced(gradient: Tensor) -> Tensor:
    """A rank's part of a gradient, after the sum over ranks that torch may have left open."""
    if isinstance(gradient, DTensor):
        return gradient.redistribute(
            placements=[
                Replicate() if placement.is_partial() else placement
                for placement in gradient.placements
            ]
        ).to_local()
    return gradient
