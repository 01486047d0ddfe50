"""Staircase: reading, writing, copying and adding vectors of every size, from cache to memory."""

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from scripts.core.faults import BadInput
from scripts.devices.conditions import disturbances
from scripts.devices.graphs import replayed
from scripts.devices.noisy_samples import steady_samples
from scripts.devices.not_run import attempt
from scripts.devices.pace import pace
from scripts.devices.timing import Timer
from scripts.records.samples import FEWEST_SAMPLES, quantity

if TYPE_CHECKING:
    import torch

    from scripts.devices.device import Device
    from scripts.records.journal import Journal

ELEMENT_BYTES = 4
# Vectors that each piece of work touches. STREAM's count of bytes moved is the same: a line that is
# fetched only to be overwritten is not counted, though most CPUs do fetch it.
VECTORS = {"read": 1, "write": 1, "copy": 2, "triad": 3}
SMALLEST_BYTES = 2**14
GRAPH_BYTES, MOST_CALLS = 2**30, 256
SCALE = 3.0


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Sizes of all vectors together: powers of two, from a few pages to several caches."""
    beyond = 16 if preset == "full" or device.kind == "cuda" else 4
    largest = min(beyond * device.cache_bytes, device.memory_bytes // 8)
    steps = range(
        int(math.log2(SMALLEST_BYTES)),
        math.ceil(math.log2(largest)) + 1,
        1 if preset == "full" else 2,
    )
    return {
        "preset": preset,
        "dtype": "fp32",
        "bytes": sorted({*(2**step for step in steps), 2 ** math.ceil(math.log2(largest))}),
        "kinds": list(VECTORS),
        "samples": FEWEST_SAMPLES,
        "cache_bytes": device.cache_bytes,
        "threads": device.cores if device.kind == "cpu" else None,
    }


def expected_seconds(*, device: "Device", parameters: dict[str, Any]) -> float:
    """How long all of it takes on a device as fast as its datasheet lets one hope."""
    at, samples = pace(device), parameters["samples"]
    sizes = (at.seconds(moved=size, samples=samples) for size in parameters["bytes"])
    return len(parameters["kinds"]) * sum(sizes)


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Seconds and rates of each kind of work at each size, and where the rate falls."""
    import torch

    if parameters["threads"]:
        torch.set_num_threads(parameters["threads"])
    else:
        torch.cuda.set_device(device.torch_name)
    run.progress(total=len(parameters["kinds"]) * len(parameters["bytes"]) * parameters["samples"])
    results: dict[str, Any] = {
        "disturbances_before": disturbances(device),
        "cache_bytes": parameters["cache_bytes"],
    }
    for kind in parameters["kinds"]:
        sizes: dict[str, Any] = {}
        for size in parameters["bytes"]:
            count = parameters["samples"]
            take = partial(_size, kind, size, samples=count, device=device, run=run)
            found = attempt(take, device=device)
            sizes[str(size)] = found
            if "not_run" in found:
                break  # a larger one would not fit either
        results[kind] = {"sizes": sizes, **steps(sizes, cache_bytes=parameters["cache_bytes"])}
    results["disturbances_after"] = disturbances(device)
    return results


def _size(
    kind: str, size: int, *, samples: int, device: "Device", run: "Journal"
) -> dict[str, Any]:
    elements = size // VECTORS[kind] // ELEMENT_BYTES
    way = run.once(f"{kind} {size}: fastest", partial(_fastest, kind, elements, device=device))
    times = _calls(size, device=device)
    prepare = partial(_prepare, kind, elements, way, times=times, device=device)
    timer = Timer(prepare, device=device)
    found = steady_samples(run, f"{kind} {size}", lambda: timer() / times, count=samples)
    moved = elements * VECTORS[kind] * ELEMENT_BYTES
    seconds = quantity(found.samples)
    return {
        "bytes": moved,
        "seconds": seconds,
        "bytes_per_second": moved / seconds["median"],
        "call": way,
        "calls_in_a_graph": times,
        **found.as_record(),
    }


def _calls(size: int, *, device: "Device") -> int:
    """How many calls one replay of a CUDA graph makes; on a CPU each is called by itself.

    Python starts a kernel in some microseconds, in which an H100's second level passes on 20 MB: called
    one by one, all that fits a cache would take as long. Within a graph a start takes about one.
    """
    return max(1, min(MOST_CALLS, GRAPH_BYTES // size)) if device.kind == "cuda" else 1


def _fastest(kind: str, elements: int, *, device: "Device") -> str:
    """Which library to call; only for copying is there a choice."""
    from scripts.kernels.copying import fastest, ways_to_copy

    if kind != "copy":
        return "torch"
    return fastest(ways_to_copy(*_vectors(kind, elements, device=device)), device=device)


def _prepare(
    kind: str, elements: int, way: str, *, times: int, device: "Device"
) -> Callable[[], object]:
    """The work, so many times, once its result has been compared with what it should be."""
    import torch

    from scripts.kernels.copying import ways_to_copy

    target, *sources = _vectors(kind, elements, device=device)
    call: Callable[[], object]
    if kind == "read":  # every element is read; the sum is one number
        call, expected = target.sum, target.double().sum().float()
    elif kind == "write":  # every element is written
        call, expected = partial(target.fill_, SCALE), torch.full_like(target, SCALE)
    elif kind == "copy":  # one vector is read, another written
        call, expected = ways_to_copy(target, sources[0])[way], sources[0].clone()
    else:  # two vectors are read, a third written
        first, second = sources
        call = partial(torch.add, first, second, alpha=SCALE, out=target)
        expected = first + SCALE * second
    result = call()
    # The sum of so many numbers is rounded, more so in FP32 than in FP64; nothing else is.
    found = cast("torch.Tensor", result) if kind == "read" else target
    right = torch.allclose(found, expected, rtol=1e-4 if kind == "read" else 1e-6)
    if not right:
        raise BadInput(
            "experiment staircase",
            0,
            f"{kind} of {elements} elements gave a wrong result",
            "do not trust this device's figures; check its memory, clocks and libraries",
        )
    return replayed(call, device=device, times=times)


def _vectors(kind: str, elements: int, *, device: "Device") -> "list[torch.Tensor]":
    """The vectors that a kind of work touches, the one that is written first."""
    import torch

    generator = torch.Generator(device.torch_name).manual_seed(0)
    return [
        torch.empty(elements, device=device.torch_name).uniform_(1, 2, generator=generator)
        for _ in range(VECTORS[kind])
    ]


def steps(sizes: dict[str, Any], *, cache_bytes: int) -> dict[str, Any]:
    """The highest rate, the rate of memory, and the size at which one has given way to the other.

    The knee lies where the rate, beyond its highest, passes the geometric mean of the two.
    """
    rates = {
        int(size): found["bytes_per_second"]
        for size, found in sizes.items()
        if "not_run" not in found
    }
    if not rates:
        return {}
    top = max(rates, key=rates.__getitem__)
    memory = rates[max(rates)]
    level = math.sqrt(rates[top] * memory)
    knee = next(
        (
            _crossing(one, other, rates, level)
            for one, other in pairwise(sorted(rates))
            if one >= top and rates[one] > level >= rates[other]
        ),
        None,
    )
    return {
        "highest_bytes_per_second": rates[top],
        "highest_at_bytes": top,
        "memory_bytes_per_second": memory,
        "highest_over_memory": rates[top] / memory,
        "smallest_call_seconds": sizes[str(min(rates))]["seconds"]["median"],
        "knee_bytes": knee,
        "knee_over_cache": None if knee is None else knee / cache_bytes,
    }


def _crossing(one: int, other: int, rates: dict[int, float], level: float) -> float:
    """The size between two at which the rate passes `level`, on a double logarithmic scale."""
    part = math.log(rates[one] / level) / math.log(rates[one] / rates[other])
    return float(one * (other / one) ** part)
