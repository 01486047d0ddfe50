"""All-reduce and all-gather: seconds by size, between GPUs or between processes of one machine."""

from typing import TYPE_CHECKING, Any

from scripts.parallel.placement import cards, on_ranks, ranks_that_run
from scripts.records.samples import FEWEST_SAMPLES, quantity
from snippets.parallelism import all_reduce_bytes

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

# Passes over the buffer that a rank sends, in units of (n - 1) / n of it.
PASSES = {"all_reduce": 2, "all_gather": 1}


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Sizes by powers of four; all GPUs that there are, or two processes."""
    (ranks,) = ranks_that_run(device, [max(2, len(cards(device)))])
    largest = 2**30 if device.kind == "cuda" else 2**26 if preset == "full" else 2**24
    sizes = [size for size in (4**power for power in range(6, 16)) if size <= largest]
    return {
        "preset": preset,
        "ranks": ranks,
        # Every rank gathers as many whole elements.
        "sizes": [size // (4 * ranks) * (4 * ranks) for size in sizes],
        "samples": FEWEST_SAMPLES,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Seconds of the slowest rank, and bytes that a rank sends in one second, by size."""
    from scripts.parallel.collectives import work

    run.progress(total=1)
    ranks = parameters["ranks"]
    arguments = {key: parameters[key] for key in ("sizes", "samples")}
    per_rank = on_ranks(run, "sizes", work, ranks, device, arguments=arguments)
    results: dict[str, Any] = {"ranks": ranks}
    for name, passes in PASSES.items():
        results[name] = {}
        for size in parameters["sizes"]:
            times = (rank[name][str(size)] for rank in per_rank)
            seconds = quantity([max(each) for each in zip(*times, strict=True)])
            sent = passes * all_reduce_bytes(size, ranks) / PASSES["all_reduce"]
            results[name][f"bytes_{size}"] = {
                "buffer_bytes": size,
                "bytes_sent": sent,
                "seconds": seconds,
                "bytes_sent_per_second": sent / seconds["median"],
            }
    return results
