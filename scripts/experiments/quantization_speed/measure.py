"""Speed of quantized products: a matrix times one vector in 16, 8 and 4 bits, on real kernels."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.devices.timing import Timer, seconds_per_call
from scripts.records.samples import FEWEST_SAMPLES, quantity

if TYPE_CHECKING:
    import torch

    from scripts.devices.device import Device
    from scripts.records.journal import Journal

KINDS = ("fp32", "fp16", "bf16", "int8", "int4")
SIXTEEN_BITS = ("fp16", "bf16")

# Even four bits of it should not fit the last-level cache; the quick preset is content with less.
CACHES = 2
QUICK_WIDTH = 8192


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """A square matrix that exceeds the cache in four bits and fits the memory in FP32."""
    width = 4096
    while width**2 / 2 < CACHES * device.cache_bytes and width**2 * 16 < device.memory_bytes / 8:
        width *= 2
    if preset == "quick":
        width = min(width, QUICK_WIDTH)
    return {
        "preset": preset,
        "matrix_width": width,
        "kinds": list(KINDS),
        "samples": FEWEST_SAMPLES,
        "threads": device.cores if device.kind == "cpu" else None,
    }


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
        if "left_out" in chosen:
            results[kind] = chosen
            continue
        timer = Timer(partial(_prepare, chosen["call"], matrix_and_vector), device=device)
        seconds = quantity(run.samples(kind, timer, count=count))
        results[kind] = {
            "seconds": seconds,
            "call": chosen["call"],
            "weight_bytes": chosen["weight_bytes"],
            "bits_per_weight": chosen["weight_bytes"] * 8 / width**2,
            "bytes_per_second": chosen["weight_bytes"] / seconds["median"],
        }
    sixteen = min(results[kind]["seconds"]["median"] for kind in SIXTEEN_BITS)
    for result in results.values():
        if "seconds" in result:
            result["speedup_over_16_bits"] = sixteen / result["seconds"]["median"]
    return results


def _fastest(
    kind: str, operands: "Callable[[], list[torch.Tensor]]", *, device: "Device"
) -> dict[str, Any]:
    """The faster way to call it; or why this device is left out."""
    from scripts.kernels.few_bit_products import product

    best: tuple[float, dict[str, Any]] | None = None
    for way in (kind, f"{kind}-mv") if kind in ("fp32", *SIXTEEN_BITS) else (kind,):
        try:
            prepared = product(way, *operands())
        except RuntimeError as error:  # NotImplementedError among them: no such kernel
            return {"left_out": f"torch has no such kernel for this device: {error}"[:200]}
        seconds = min(seconds_per_call(prepared.call, repeats=1, device=device) for _ in range(3))
        if best is None or seconds < best[0]:
            best = seconds, {"call": way, "weight_bytes": prepared.weight_bytes}
    assert best is not None
    return best[1]


def _prepare(
    way: str, operands: "Callable[[], list[torch.Tensor]]"
) -> "Callable[[], torch.Tensor]":
    from scripts.kernels.few_bit_products import product

    return product(way, *operands()).call
