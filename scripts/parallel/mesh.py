"""The experiment `parallelism-mesh` launches it on every rank: one training step with all splits at once,
data x pipeline x tensor. Back comes the difference from one process, and what the rank sent and held.

Tensor is the last axis, so ranks that share every matrix are neighbours, as GPUs of a server are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

from scripts.parallel.memory import state_bytes
from scripts.parallel.pipeline import Stage
from scripts.parallel.tensor_parallel import split_heads_and_mlp
from scripts.parallel.traffic import TransferTrace, bytes_on_the_wire
from scripts.parallel.transformer import (
    Shape,
    batch,
    build,
    difference,
    gradients,
    loss,
    one_process,
    weights,
)
from scripts.parallel.worker import Ranks

AXES = ("data", "pipeline", "tensor")


def work(
    ranks: Ranks,
    *,
    shape: dict[str, int],
    layout: dict[str, int],
    micro_batches: int,
    sequence_length: int,
) -> dict[str, Any]:
    """One step on the mesh: where this rank stands, what it holds and sends, and the result.

    `layout` has the size of each axis; `micro_batches` is each copy's number of sequences.
    """
    sizes = Shape(**shape)
    mesh = init_device_mesh(
        ranks.device.type, tuple(layout[axis] for axis in AXES), mesh_dim_names=AXES
    )
    place = {axis: mesh.get_local_rank(axis) for axis in AXES}
    tokens, targets = batch(
        sizes,
        sequences=layout["data"] * micro_batches,
        sequence_length=sequence_length,
        device=ranks.device,
    )
    expected = one_process(sizes, tokens, targets, device=ranks.device)
    ranks.beat()

    part = Stage(
        build(sizes, device=ranks.device, dtype=torch.float32),
        index=place["pipeline"],
        stages=layout["pipeline"],
    )
    split_heads_and_mlp(part.blocks.values(), mesh["tensor"])
    for block in part.blocks.values():
        fully_shard(block, mesh=mesh["data"], reshard_after_forward=False)
    fully_shard(part, mesh=mesh["data"], reshard_after_forward=False)
    stage = PipelineStage(
        part,
        place["pipeline"],
        layout["pipeline"],
        ranks.device,
        group=mesh["pipeline"].get_group(),
    )
    schedule = Schedule1F1B(stage, micro_batches, loss_fn=loss)
    own = slice(place["data"] * micro_batches, (place["data"] + 1) * micro_batches)
    inputs = (tokens[own],) if stage.is_first else ()
    target = targets[own] if stage.is_last else None
    schedule.step(*inputs, target=target)  # in the first step, torch learns the shapes sent
    part.zero_grad()
    ranks.beat()

    trace = TransferTrace()

    def step() -> None:
        with trace:
            schedule.step(*inputs, target=target)

    wire = bytes_on_the_wire(step)
    optimizer = torch.optim.AdamW(part.parameters())
    found = gradients(part)
    optimizer.step()
    ranks.beat()
    return {
        "place": place,
        "parameters_of_all": sum(weight.numel() for weight in expected.weights.values()),
        "gradient_difference": difference(found, expected.gradients),
        "weight_difference": difference(weights(part), expected.weights),
        "transfers": trace.by_group(),
        "wire_bytes": wire,
        **state_bytes(part, optimizer.state),
    }
