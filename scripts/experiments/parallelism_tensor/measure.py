"""Tensor parallelism: four sums per layer and step, written out, said to torch, and by tokens."""

from typing import TYPE_CHECKING, Any

from scripts.experiments.parallelism_data.measure import step
from scripts.parallel.placement import on_ranks, ranks_that_run

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

RANKS = (2, 4)
BYTES_PER_ELEMENT = 4  # FP32, so that equality shows the split and not the rounding


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The model and the batch; the full preset has more layers."""
    return {
        "preset": preset,
        "ranks": ranks_that_run(device, RANKS),
        "shape": {
            "layers": 2 if preset == "quick" else 8,
            "hidden_size": 128,
            "heads": 8,
            "vocabulary": 256,
        },
        "sequences": 2,
        "sequence_length": 32,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """For each number of ranks and way to write the split: difference and collectives."""
    from scripts.parallel.tensor_parallel import work

    run.progress(total=len(parameters["ranks"]))
    shape, batch = parameters["shape"], {k: parameters[k] for k in ("sequences", "sequence_length")}
    elements = batch["sequences"] * batch["sequence_length"] * shape["hidden_size"]
    held = {
        "bytes_per_element": BYTES_PER_ELEMENT,
        "hidden_state_bytes": elements * BYTES_PER_ELEMENT,
    }
    results: dict[str, Any] = {"model": {**shape, **batch, **held}}
    arguments = {key: parameters[key] for key in ("shape", "sequences", "sequence_length")}
    for ranks in parameters["ranks"]:
        per_rank = on_ranks(run, f"{ranks} ranks", work, ranks, device, arguments=arguments)
        results[f"ranks_{ranks}"] = {"ranks": ranks} | {
            way: {
                "parameters_per_rank": per_rank[0][way]["parameters_per_rank"],
                **step(per_rank, way),
            }
            for way in per_rank[0]
        }
    return results
