"""Several GPUs or nodes: every rank measures its own device, and rank 0 writes one record of all.

    torchrun --nproc-per-node 8 -m scripts.measure_ranks bandwidth --preset full

On a machine without a GPU every rank measures the CPU, through gloo. The record holds each rank's
results under its number, a rank that could not measure with the reason, and how fast all of them sum
a buffer together. A killed run resumes: each rank keeps its own journal and record.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from scripts.core.faults import BadInput
from scripts.devices import cuda_driver
from scripts.devices.device import detect
from scripts.experiments.measurement import PRESETS, local_path, measure
from scripts.records.record import Record, write_record
from scripts.records.samples import FEWEST_SAMPLES, quantity
from snippets.parallelism import all_reduce_bytes

ROOT = Path(__file__).parents[1]
SUMMED_BYTES = {"cuda": 2**28, "cpu": 2**24}
# The first rank to finish waits for the last, which may have resumed nothing.
LONGEST_WAIT = timedelta(hours=2)


def main() -> None:
    """Measure on this rank, sum with the others, and on rank 0 write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment")
    parser.add_argument("--preset", choices=PRESETS, default="quick")
    parser.add_argument("--root", type=Path, default=ROOT, help="where records are written")
    arguments = parser.parse_args()
    if arguments.experiment.startswith("parallelism-"):
        raise SystemExit(
            f"{arguments.experiment} starts ranks of its own: "
            f".venv/bin/python scripts/build.py --only {arguments.experiment}"
        )
    cards = cuda_driver.device_count() or torch.cuda.device_count()  # AMD's are torch's to count
    on_cuda = cards > 0 and dist.is_nccl_available()
    if on_cuda:
        _expect_cards(cards)
    name = f"cuda:{os.environ['LOCAL_RANK']}" if on_cuda else "cpu"
    if on_cuda:
        torch.cuda.set_device(name)
    dist.init_process_group("nccl" if on_cuda else "gloo", timeout=LONGEST_WAIT)
    found = _gathered(_measured(name, arguments=arguments))
    buffer = torch.ones(SUMMED_BYTES[torch.device(name).type] // 4, device=name)
    seconds = _gathered([_summing_seconds(buffer) for _ in range(FEWEST_SAMPLES + 1)])
    if dist.get_rank() == 0:
        _write(found, seconds, size=buffer.nbytes, arguments=arguments)
    dist.barrier()
    dist.destroy_process_group()


def _expect_cards(cards: int) -> None:
    """Raise SystemExit where two ranks would share a card, which NCCL refuses after minutes."""
    ranks = int(os.environ["LOCAL_WORLD_SIZE"])
    if ranks > cards:
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        of_those = f" in CUDA_VISIBLE_DEVICES={visible}" if visible is not None else ""
        raise SystemExit(
            f"{ranks} ranks on this node, and {cards} card(s){of_those}: "
            f"torchrun --nproc-per-node {cards}"
        )


def _gathered(value: Any) -> list[Any]:
    """The value of every rank, by rank."""
    values: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(values, value)
    return values


def _measured(device: str, *, arguments: argparse.Namespace) -> tuple[Record | None, str]:
    """This rank's record, or why there is none: the others go on either way."""
    own = arguments.root / ".cache" / "ranks" / str(dist.get_rank())
    own.mkdir(parents=True, exist_ok=True)
    try:
        record, _ = measure(
            arguments.experiment,
            device=detect(device),
            preset=arguments.preset,
            root=own,
            code=ROOT,
        )
    except (BadInput, RuntimeError, MemoryError, AssertionError) as fault:
        return None, (str(fault).splitlines() or [type(fault).__name__])[0]
    return record, ""


def _summing_seconds(buffer: torch.Tensor) -> float:
    """Seconds until this rank holds the sum, from the moment at which the last rank was ready."""
    dist.barrier()
    _settle(buffer.device)
    began = time.perf_counter()
    dist.all_reduce(buffer)
    _settle(buffer.device)
    return time.perf_counter() - began


def _settle(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _write(
    found: list[tuple[Record | None, str]],
    seconds: list[list[float]],
    *,
    size: int,
    arguments: argparse.Namespace,
) -> None:
    """One record of all ranks; a sum takes as long as its slowest rank, and the first warms up."""
    first = next((record for record, _ in found if record is not None), None)
    if first is None:
        raise SystemExit(f"no rank could measure: {found[0][1]}")
    slowest = quantity([max(each) for each in zip(*seconds, strict=True)][1:])
    sent = all_reduce_bytes(size, len(found))
    record = replace(
        first,
        experiment=f"{arguments.experiment}-ranks",
        provenance={
            "kind": "measured",
            "command": f"torchrun --nproc-per-node {os.environ['LOCAL_WORLD_SIZE']} "
            f"-m scripts.measure_ranks {arguments.experiment} --preset {arguments.preset}",
        },
        results={
            "ranks": {
                str(rank): {"not_run": error}
                if own is None
                else {"device": own.device["name"], **own.results}
                for rank, (own, error) in enumerate(found)
            },
            "all_reduce": {
                "ranks": len(found),
                "buffer_bytes": size,
                "bytes_sent": sent,
                "seconds": slowest,
                "bytes_sent_per_second": sent / slowest["median"],
            },
        },
    )
    write_record(local_path(arguments.root, record.experiment), record)


if __name__ == "__main__":
    main()
