"""All splits together: one training step on 2 x 2 x 2 ranks, equal to one process."""

from typing import TYPE_CHECKING, Any

from scripts.experiments.parallelism_data.measure import step
from scripts.parallel.placement import on_ranks, ranks_that_run

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

LAYOUT = {"data": 2, "pipeline": 2, "tensor": 2}
RANKS = 8


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The mesh, the model and the batch; the full preset has more layers."""
    ranks_that_run(device, [RANKS])
    return {
        "preset": preset,
        "shape": {
            "layers": 4 if preset == "quick" else 8,
            "hidden_size": 64,
            "heads": 4,
            "vocabulary": 64,
        },
        "layout": LAYOUT,
        "micro_batches": 4,
        "sequence_length": 16,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """How far from one process, and for each rank where it stands, what it holds and sends."""
    from scripts.parallel.mesh import work

    run.progress(total=1)
    named = ("shape", "layout", "micro_batches", "sequence_length")
    arguments = {key: parameters[key] for key in named}
    per_rank = on_ranks(run, f"{RANKS} ranks", work, RANKS, device, arguments=arguments)
    return {
        "layout": {**parameters["layout"], "ranks": len(per_rank)},
        "model": {
            **parameters["shape"],
            "micro_batches": parameters["micro_batches"],
            "sequence_length": parameters["sequence_length"],
            "parameters": per_rank[0]["parameters_of_all"],
        },
        **step([{"step": rank} for rank in per_rank], "step"),
        "ranks": {
            str(number): {
                key: rank[key]
                for key in ("place", "weight_bytes", "gradient_bytes", "optimizer_bytes")
            }
            for number, rank in enumerate(per_rank)
        },
    }
