"""Speed of quantized products: a matrix times one vector in 16, 8 and 4 bits, on real kernels."""

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.devices.not_run import NotRun, attempt
from scripts.devices.pace import pace
from scripts.devices.timing import Timer, seconds_per_call
from scripts.records.samples import FEWEST_SAMPLES, quantity

if TYPE_CHECKING:
    import torch

    from scripts.devices.device import Device
    from scripts.records.journal import Journal

KINDS = ("fp32", "fp16", "bf16", "int8", "int4")
SIXTEEN_BITS = ("fp16", "bf16")

# Even four bits of it should not fit the last-level cache; the quick preset is content with less. What
# a GPU's cache keeps between two passes is not the oldest line alone, so there it is more.
CACHES = {"cpu": 2, "cuda": 8}
QUICK_WIDTH = 8192
STEP = 4096  # whole tiles of every kernel
PREPARED_BYTES = 24  # per weight at most: the FP32 matrix, its copies on the way to four bits
NO_KERNEL = ("not implemented for", "not available for build", "not supported")


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """A square matrix that exceeds the cache in four bits, as far as memory holds its preparation."""
    wanted = math.sqrt(2 * CACHES[device.kind] * device.cache_bytes)
    width = math.ceil(wanted / STEP) * STEP
    if preset == "quick" and device.kind == "cpu":
        width = min(width, QUICK_WIDTH)
    room = math.sqrt(0.8 * device.memory_bytes / PREPARED_BYTES)
    width = max(STEP, min(width, math.floor(room / STEP) * STEP))
    return {
        "preset": preset,
        "matrix_width": width,
        "kinds": list(KINDS),
        "samples": FEWEST_SAMPLES,
        "threads": device.cores if device.kind == "cpu" else None,
    }


def expected_seconds(*, device: "Device", parameters: dict[str, Any]) -> float:
    """How long all of it takes on a device as fast as its datasheet lets one hope: packing most of it."""
    at, weights = pace(device), parameters["matrix_width"] ** 2
    prepared = 4 * PREPARED_BYTES * weights / at.bytes_per_second
    timed = at.seconds(moved=4 * weights, samples=parameters["samples"])
    return len(parameters["kinds"]) * (prepared + timed)


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Seconds and bytes of each product, and how much faster it is than the faster 16-bit one."""
    import torch

    if parameters["threads"]:
        torch.set_num_threads(parameters["threads"])
    width, count = parameters["matrix_width"], parameters["samples"]
    run.progress(total=count * len(parameters["kinds"]))
    operands: list[torch.Tensor] = []

    def matrix_and_vector() -> "list[torch.Tensor]":
        if not operands:
            generator = torch.Generator(device.torch_name).manual_seed(0)
            for shape in ((width, width), (1, width)):
                numbers = torch.empty(shape, device=device.torch_name)
                operands.append(numbers.normal_(0, 0.02, generator=generator))
        return operands

    results: dict[str, Any] = {}
    for kind in parameters["kinds"]:
        chosen = run.once(
            f"{kind}: fastest", partial(_fastest, kind, matrix_and_vector, device=device)
        )
        if "call" not in chosen:
            results[kind] = chosen
            continue
        timer = Timer(partial(_prepare, chosen["call"], matrix_and_vector), device=device)
        seconds = quantity(run.samples(kind, timer, count=count))
        results[kind] = {
            "seconds": seconds,
            "call": chosen["call"],
            "operator": chosen["operator"],
            "weight_bytes": chosen["weight_bytes"],
            "bits_per_weight": chosen["weight_bytes"] * 8 / width**2,
            "bytes_per_second": chosen["weight_bytes"] / seconds["median"],
        }
    timed = {kind: found["seconds"]["median"] for kind, found in results.items() if "call" in found}
    if not timed:
        raise NotRun("; ".join(f"{kind}: {found}" for kind, found in results.items()))
    sixteen = [timed[kind] for kind in SIXTEEN_BITS if kind in timed]
    for kind, seconds in timed.items():
        if sixteen:
            results[kind]["speedup_over_16_bits"] = min(sixteen) / seconds
    return results


def _fastest(
    kind: str, operands: "Callable[[], list[torch.Tensor]]", *, device: "Device"
) -> dict[str, Any]:
    """The faster way to call it; or why this device is left out."""
    from scripts.kernels.few_bit_products import inputs_of, product

    if device.kind == "cuda" and inputs_of(kind) not in device.dtypes:
        # Before compute capability 8.0 the INT4 kernel's body is empty: it gives whatever lay there.
        return {"left_out": f"this device does not multiply {inputs_of(kind)}"}

    def quickest() -> dict[str, Any]:
        best: tuple[float, dict[str, Any]] | None = None
        for way in (kind, f"{kind}-mv") if kind in ("fp32", *SIXTEEN_BITS) else (kind,):
            prepared = product(way, *operands())
            taken = (seconds_per_call(prepared.call, repeats=1, device=device) for _ in range(3))
            seconds = min(taken)
            if best is None or seconds < best[0]:
                known = {"weight_bytes": prepared.weight_bytes, "operator": prepared.operator}
                best = seconds, {"call": way, **known}
        assert best is not None
        return best[1]

    try:
        return attempt(quickest, device=device)
    except RuntimeError as error:  # NotImplementedError is one: no backend has the operator
        absent = isinstance(error, NotImplementedError)
        if not absent and not any(sign in str(error) for sign in NO_KERNEL):
            raise
        return {"left_out": f"torch has no such kernel for this device: {error}"[:200]}


def _prepare(
    way: str, operands: "Callable[[], list[torch.Tensor]]"
) -> "Callable[[], torch.Tensor]":
    from scripts.kernels.few_bit_products import product

    return product(way, *operands()).call
