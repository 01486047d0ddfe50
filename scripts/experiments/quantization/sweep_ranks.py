"""A sweep shared by the processes of torchrun, one per GPU: each reads its part of the windows.

    torchrun --nproc-per-node 2 -m scripts.experiments.quantization.sweep_ranks --device cuda --preset full

The first process keeps the journal and prints the losses. Apart from the sweep itself, so that what
finds devices and writes records is not part of what its records depend on.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import torch
import torch.distributed as distributed

from scripts.devices import device as devices
from scripts.experiments.measurement import fingerprint
from scripts.experiments.quantization import measure as quantization
from scripts.quantization import subjects
from scripts.quantization.sweep import Sweep
from scripts.records.journal import Journal

CODE = Path(__file__).resolve().parents[3]  # wherever the processes were started


def main() -> None:
    """One process of a sweep under torchrun; the first prints the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--preset", choices=("quick", "full"), default="full")
    arguments = parser.parse_args()
    rank, local = int(os.environ.get("RANK", 0)), int(os.environ.get("LOCAL_RANK", 0))
    if "RANK" in os.environ:
        distributed.init_process_group("nccl" if arguments.device == "cuda" else "gloo")
    name = f"cuda:{local}" if arguments.device == "cuda" else "cpu"
    device = devices.detect(name)
    parameters = quantization.parameters(preset=arguments.preset, device=device)
    stamp = fingerprint("quantization", parameters=parameters, device=device, root=CODE)
    if device.kind == "cuda":
        torch.cuda.set_device(device.index)
    follower = type("Follower", (Journal,), {"_append": lambda self, key, value: None})
    kind = Journal if rank == 0 else follower
    # Every process reads the journal of the first, before any sample is added to it.
    with kind(experiment="quantization", device=device.slug, fingerprint=stamp, root=Path()) as run:
        if distributed.is_initialized():
            distributed.barrier()
        choice = subjects.Choice(**parameters["subject"])
        subject = subjects.load(choice, dtype=parameters["dtype"], device=device.torch_name)
        results = Sweep(subject, windows=parameters["windows"], run=run).results()
    if rank == 0:
        print(json.dumps(results["loss"], indent=1))
    if distributed.is_initialized():
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
