"""Data parallelism and ZeRO: equality with one process, bytes sent, bytes held per parameter."""

from typing import TYPE_CHECKING, Any

from scripts.parallel.placement import on_ranks, ranks_that_run

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

RANKS = (1, 2, 4)


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The model and the batch; the full preset has more layers."""
    return {
        "preset": preset,
        "ranks": ranks_that_run(device, RANKS),
        "shape": {
            "layers": 4 if preset == "quick" else 16,
            "hidden_size": 128,
            "heads": 8,
            "vocabulary": 256,
        },
        "sequences": 8,
        "sequence_length": 32,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """For each number of ranks: how far from one process, what each rank sends and holds."""
    from scripts.parallel.data_parallel import work

    run.progress(total=len(parameters["ranks"]))
    results: dict[str, Any] = {}
    arguments = {key: parameters[key] for key in ("shape", "sequences", "sequence_length")}
    for ranks in parameters["ranks"]:
        per_rank = on_ranks(run, f"{ranks} ranks", work, ranks, device, arguments=arguments)
        results["model"] = per_rank[0]["model"]
        results[f"ranks_{ranks}"] = {
            "ranks": ranks,
            "ddp": step(per_rank, "ddp"),
            "fsdp": step(per_rank, "fsdp"),
            "memory": {
                stage: {
                    part: max(rank["memory"][stage][part] for rank in per_rank)
                    for part in per_rank[0]["memory"][stage]
                }
                for stage in per_rank[0]["memory"]
            },
        }
    return results


def step(per_rank: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """One way to split on all ranks: the worst difference, the mean of what a rank sends.

    `wire_bytes` is what the kernel counted, `header_bytes` what of that is not in gloo's formula.
    """
    found = [rank[name] for rank in per_rank]
    result = {
        "gradient_difference": max(rank["gradient_difference"] for rank in found),
        "transfers": found[0]["transfers"],
    }
    if "weight_difference" in found[0]:
        result["weight_difference"] = max(rank["weight_difference"] for rank in found)
    if all(rank["wire_bytes"] is not None for rank in found):
        wire = sum(rank["wire_bytes"] for rank in found) / len(found)
        result["wire_bytes"] = wire
        result["header_bytes"] = wire - sum(
            total["gloo_bytes_sent"] for rank in found for total in rank["transfers"].values()
        ) / len(found)
    return result
