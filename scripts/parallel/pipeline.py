"""The experiment `parallelism-pipeline` launches it on every rank: each has some of the layers, and
micro-batches pass through them. Back comes when each task ran.

The schedules are torch's. Each task can be stretched to a given time by sleeping: so four ranks that
share two cores keep the times of four devices that share nothing.
"""

from __future__ import annotations

import time
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import get_schedule_class

from scripts.parallel.traffic import TransferTrace, bytes_on_the_wire
from scripts.parallel.transformer import (
    Shape,
    Transformer,
    batch,
    build,
    difference,
    gradients,
    loss,
    one_process,
)
from scripts.parallel.worker import Ranks

# torch's name for each schedule of snippets/pipeline_schedule.py.
SCHEDULES = {
    "gpipe": "GPipe",
    "one_forward_one_backward": "1F1B",
    "interleaved": "Interleaved1F1B",
    "zero_bubble": "InterleavedZeroBubble",
}
CHUNKS = {"interleaved": 2}


class Stage(nn.Module):
    """Some of a transformer's blocks, with the embedding before the first and the head after the
    last; the names of the weights stay those of the whole."""

    def __init__(self, whole: Transformer, *, index: int, stages: int) -> None:
        super().__init__()
        per_stage = len(whole.blocks) // stages
        own = range(index * per_stage, (index + 1) * per_stage)
        self.embedding = whole.embedding if index == 0 else nn.Identity()
        self.blocks = nn.ModuleDict({str(i): whole.blocks[i] for i in own})
        self.norm = whole.norm if index == stages - 1 else nn.Identity()
        self.head = whole.head if index == stages - 1 else nn.Identity()

    def forward(self, hidden: Tensor) -> Tensor:
        """Tokens into the first stage, logits out of the last, hidden states in between."""
        hidden = self.embedding(hidden)
        for block in self.blocks.values():
            hidden = block(hidden)
        return self.head(self.norm(hidden))


class TimedStage(PipelineStage):
    """A stage that notes each task as (kind, stage, micro-batch, start, end)."""

    forward_seconds = 0.0
    tasks: list[tuple[str, int, int, float, float]]

    def forward_one_chunk(self, fwd_chunk_id: int, *args: Any, **kwargs: Any) -> Any:
        """PyTorch's, with the time noted."""
        with _Task(self, "forward", fwd_chunk_id, 1):
            return super().forward_one_chunk(fwd_chunk_id, *args, **kwargs)

    def backward_one_chunk(
        self,
        bwd_chunk_id: int,
        loss: Any = None,
        full_backward: bool = True,
        last_backward: Any = False,
    ) -> None:
        """PyTorch's, with the time noted."""
        kind, halves = ("backward", 2) if full_backward else ("backward_input", 1)
        with _Task(self, kind, bwd_chunk_id, halves):
            super().backward_one_chunk(bwd_chunk_id, loss, full_backward, last_backward)

    def backward_weight_one_chunk(self, bwd_chunk_id: int, *args: Any, **kwargs: Any) -> None:
        """PyTorch's, with the time noted."""
        with _Task(self, "backward_weight", bwd_chunk_id, 1):
            super().backward_weight_one_chunk(bwd_chunk_id, *args, **kwargs)


class _Task:
    """Times one task, and stretches it to `forwards` times what a forward shall last."""

    def __init__(self, stage: TimedStage, kind: str, chunk: int, forwards: int) -> None:
        self.stage, self.kind, self.chunk = stage, kind, chunk
        self.least = forwards * stage.forward_seconds

    def __enter__(self) -> None:
        _settle(self.stage.device)
        self.start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        _settle(self.stage.device)
        time.sleep(max(0.0, self.start + self.least - time.perf_counter()))
        end = time.perf_counter()
        self.stage.tasks.append((self.kind, self.stage.stage_index, self.chunk, self.start, end))


def work(
    ranks: Ranks,
    *,
    shape: dict[str, int],
    sequence_length: int,
    runs: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Training steps for each of `runs`: {schedule, micro_batches, forward_seconds, repeats}."""
    sizes = Shape(**shape)
    results = []
    for run in runs:
        results.append(_step(ranks, sizes, sequence_length=sequence_length, **run))
    return results


def _step(
    ranks: Ranks,
    sizes: Shape,
    *,
    sequence_length: int,
    schedule: str,
    micro_batches: int,
    forward_seconds: float,
    repeats: int,
) -> dict[str, Any]:
    """Steps of one schedule; before them one in which torch learns the shapes that are sent."""
    tokens, targets = batch(
        sizes, sequences=micro_batches, sequence_length=sequence_length, device=ranks.device
    )
    expected = one_process(sizes, tokens, targets, device=ranks.device)
    chunks = CHUNKS.get(schedule, 1)
    count = chunks * ranks.world_size
    whole = build(sizes, device=ranks.device, dtype=torch.float32)
    stages = [
        TimedStage(Stage(whole, index=index, stages=count), index, count, ranks.device)
        for index in range(ranks.rank, count, ranks.world_size)
    ]
    tasks: list[tuple[str, int, int, float, float]] = []
    for stage in stages:
        stage.tasks, stage.forward_seconds = tasks, 0.0
    kind: Any = get_schedule_class(SCHEDULES[schedule])
    several = chunks > 1 or schedule == "zero_bubble"
    pipeline = kind(stages if several else stages[0], micro_batches, loss_fn=loss)
    inputs = (tokens,) if ranks.rank == 0 else ()
    target = targets if ranks.rank == ranks.world_size - 1 else None

    trace = TransferTrace()

    def step() -> None:
        for stage in stages:
            stage.submod.zero_grad()
        with trace:
            pipeline.step(*inputs, target=target)

    step()
    trace.transfers.clear()
    wire = bytes_on_the_wire(step)
    found = {name: value for stage in stages for name, value in gradients(stage.submod).items()}
    result: dict[str, Any] = {
        "gradient_difference": difference(found, expected.gradients),
        "transfers": trace.by_kind(),
        "wire_bytes": wire,
        "steps": [],
    }
    for stage in stages:
        stage.forward_seconds = forward_seconds / chunks
    for _ in range(repeats):
        tasks.clear()
        dist.barrier()
        step()
        result["steps"].append(list(tasks))
        ranks.beat()
    return result


def _settle(device: torch.device) -> None:
    """Wait for this rank's own work and what it needs, not for its sends: whoever receives them may
    itself wait for what this rank does next."""
    if device.type == "cuda":
        torch.cuda.current_stream(device).synchronize()
