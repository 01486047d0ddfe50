"""Pipeline parallelism: torch's schedules on two and four ranks, each task's start and end."""

from statistics import median
from typing import TYPE_CHECKING, Any

from scripts.experiments.parallelism_data.measure import step
from scripts.parallel.placement import on_ranks, ranks_that_run
from scripts.records.samples import quantity

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

SCHEDULES = ("gpipe", "one_forward_one_backward", "interleaved", "zero_bubble")

# Ranks to (schedule, micro-batches): all four where the bubble shows, and one up to M = 4K.
RUNS = {
    2: [(schedule, 4) for schedule in SCHEDULES],
    4: [
        *((schedule, 8) for schedule in SCHEDULES),
        ("one_forward_one_backward", 4),
        ("one_forward_one_backward", 16),
    ],
}

# On a CPU each forward is stretched to this by sleeping: longer than its work on a slow core. On a GPU
# the model is large enough for its work to take longer than starting it: two layers of 28 million
# parameters over 512 tokens are 58 GFLOP, some fifty kernels 0.3 ms.
FORWARD_SECONDS = 0.03


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The model and the schedules; the full preset repeats each step more often."""
    gpu = device.kind == "cuda"
    width, tokens = (1536, 512) if gpu else (64, 32)
    return {
        "preset": preset,
        "shape": {"layers": 8, "hidden_size": width, "heads": 24 if gpu else 4, "vocabulary": 64},
        "sequence_length": tokens,
        "repeats": 3 if preset == "quick" else 20,
        "runs": {
            str(ranks): [
                {
                    "schedule": schedule,
                    "micro_batches": micro_batches,
                    "forward_seconds": 0.0 if gpu else FORWARD_SECONDS,
                }
                for schedule, micro_batches in RUNS[ranks]
            ]
            for ranks in ranks_that_run(device, RUNS)
        },
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """For each number of ranks, schedule and number of micro-batches: difference and timeline."""
    from scripts.parallel.pipeline import work

    run.progress(total=len(parameters["runs"]))
    results: dict[str, Any] = {}
    for ranks, runs in parameters["runs"].items():
        repeats = parameters["repeats"]
        arguments = {key: parameters[key] for key in ("shape", "sequence_length")}
        arguments["runs"] = [{**each, "repeats": repeats} for each in runs]
        limit = {"time_limit_seconds": _time_limit(runs, repeats=repeats)}
        name = f"{ranks} ranks"
        per_rank = on_ranks(run, name, work, int(ranks), device, arguments=arguments, **limit)
        found: dict[str, dict[str, Any]] = {}
        for index, each in enumerate(runs):
            name = f"micro_batches_{each['micro_batches']}"
            found.setdefault(each["schedule"], {})[name] = _schedule(
                [rank[index] for rank in per_rank], each
            )
        results[f"ranks_{ranks}"] = found
    return results


def _time_limit(runs: list[dict[str, Any]], *, repeats: int) -> float:
    """Generous for what the forwards are stretched to: three of them per micro-batch, and waiting."""
    stretched = sum(3 * each["micro_batches"] * each["forward_seconds"] for each in runs)
    return 120.0 + 4 * repeats * stretched


def _schedule(per_rank: list[dict[str, Any]], each: dict[str, Any]) -> dict[str, Any]:
    steps = [
        _common_clock([rank["steps"][i] for rank in per_rank])
        for i in range(len(per_rank[0]["steps"]))
    ]
    seconds = [max(task[4] for rank in ranks for task in rank) for ranks in steps]
    idle = [
        1 - sum(task[4] - task[3] for rank in ranks for task in rank) / len(ranks) / last
        for ranks, last in zip(steps, seconds, strict=True)
    ]
    # The timeline to draw is the one whose idle fraction is nearest to the median.
    shown = min(range(len(steps)), key=lambda i: abs(idle[i] - median(idle)))
    return {
        "ranks": len(per_rank),
        "micro_batches": each["micro_batches"],
        **step([{"step": rank} for rank in per_rank], "step"),
        "sends": sum(rank["transfers"]["send"]["count"] for rank in per_rank),
        "sent_bytes": sum(rank["transfers"]["send"]["bytes"] for rank in per_rank),
        "step_seconds": quantity(seconds),
        "idle_fraction": quantity(idle),
        "task_seconds": {
            kind: quantity(
                [task[4] - task[3] for rank in steps[shown] for task in rank if task[0] == kind]
            )
            for kind in sorted({task[0] for rank in steps[shown] for task in rank})
        },
        "timeline": steps[shown],
    }


def _common_clock(ranks: list[list[list[Any]]]) -> list[list[list[Any]]]:
    """The tasks of all ranks, [kind, stage, micro-batch, start, end], from the first one's start.

    The ranks' clocks are one: `time.perf_counter` counts from the start of the machine.
    """
    first = min(task[3] for rank in ranks for task in rank)
    return [
        [
            [kind, stage, micro_batch, round(start - first, 6), round(end - first, 6)]
            for kind, stage, micro_batch, start, end in rank
        ]
        for rank in ranks
    ]
