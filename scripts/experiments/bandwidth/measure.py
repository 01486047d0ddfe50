"""Bandwidth: copying, reading, and a matrix times one vector and times batches of them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.core.faults import BadInput
from scripts.devices.conditions import disturbances
from scripts.devices.noisy_samples import steady_samples
from scripts.devices.pace import pace
from scripts.devices.timing import Timer, seconds_per_call
from scripts.records.samples import FEWEST_SAMPLES, quantity
from snippets.bandwidth import copy_bytes, product_bytes, product_operations

if TYPE_CHECKING:
    import torch

    from scripts.devices.device import Device
    from scripts.records.journal import Journal

BYTES_PER_ELEMENT = {"fp32": 4, "fp16": 2, "bf16": 2}
BATCHES = [2**power for power in range(13)]  # one vector to 4,096

# A buffer this many times the last-level cache leaves little of itself there between two passes. Of a
# GPU's, whose cache does not drop the oldest line first, up to one part in so many may come from it.
CACHES = {"cpu": 4, "cuda": 16}
STEP = 1024

# Largest relative error of a result, above what rounding to the dtype explains: 2**-24, 2**-11,
# 2**-8, and the sums' own rounding.
TOLERANCE = {"fp32": 1e-5, "fp16": 2e-3, "bf16": 1e-2}

# Rows of a product that are checked against the same product in FP64.
CHECKED_ROWS = 64


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Sizes that fit the device's memory and exceed its cache; which batches, and what is left out.

    A CPU that does not multiply a 16-bit format in hardware emulates it, so large batches would
    take minutes and show nothing but that; the quick preset leaves out other long ones.
    """
    batches, left_out = {}, {}
    for dtype in BYTES_PER_ELEMENT:
        native = dtype in device.dtypes
        largest, reason = BATCHES[-1], ""
        if device.kind == "cuda" and not native:
            largest, reason = 0, f"this device does not multiply {dtype}"
        elif not native:
            largest = 4 if preset == "quick" else 64
            reason = f"this device emulates {dtype}"
        elif preset == "quick" and device.kind == "cpu":
            largest, reason = 64, "the quick preset leaves out long products"
        batches[dtype] = [batch for batch in BATCHES if batch <= largest]
        if reason:
            left_out[dtype] = f"batches above {largest}: {reason}"
    return {
        "preset": preset,
        "copy_bytes": buffer_bytes(device),
        "matrix_width": matrix_width(device),
        "batches": batches,
        "left_out": left_out,
        "samples": FEWEST_SAMPLES,
        "threads": device.cores if device.kind == "cpu" else None,
    }


def matrix_width(device: "Device") -> int:
    """Rows and columns of the matrix: in 16 bits beyond the cache, in FP32 within the memory."""
    least = 16384 if device.kind == "cuda" else 8192
    beyond = math.sqrt(CACHES[device.kind] * device.cache_bytes / 2)
    within = math.sqrt(device.memory_bytes / 8 / 4)
    wanted = max(least, math.ceil(beyond / STEP) * STEP)
    return max(STEP, min(wanted, math.floor(within / STEP) * STEP))


def buffer_bytes(device: "Device") -> int:
    """Of a buffer to copy or read: 1 GiB, or more where the cache asks for it, within the memory."""
    beyond = 2 ** math.ceil(math.log2(CACHES[device.kind] * device.cache_bytes))
    return min(max(2**30, beyond), _power_of_two_below(device.memory_bytes / 8))


def _power_of_two_below(limit: float) -> int:
    return 2 ** math.floor(math.log2(limit))


def expected_seconds(*, device: "Device", parameters: dict[str, Any]) -> float:
    """How long all of it takes on a device as fast as its datasheet lets one hope."""
    at, samples, width = pace(device), parameters["samples"], parameters["matrix_width"]
    total = 2 * at.seconds(moved=2 * parameters["copy_bytes"], samples=samples)
    for dtype, batches in parameters["batches"].items():
        slower = 1 if dtype in device.dtypes[1:] else 8  # FP32, or what is emulated
        for batch in batches:
            shape = {"rows": width, "columns": width, "vectors": batch}
            moved = product_bytes(**shape, bytes_per_element=BYTES_PER_ELEMENT[dtype])
            operations = slower * product_operations(**shape)
            total += at.seconds(moved=moved, operations=operations, samples=samples)
    return total


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Seconds, bytes and operations of each piece of work, with the rates at the median."""
    import torch

    if parameters["threads"]:
        torch.set_num_threads(parameters["threads"])
    works = _Works(device, parameters, run)
    batches = parameters["batches"].items()
    products = sum(works.expected_seconds(dtype, batch) for dtype, of in batches for batch in of)
    run.progress(total=parameters["samples"] * (2 * works.expected_seconds() + products))
    results: dict[str, Any] = {
        "disturbances_before": disturbances(device),
        "copy": works.copy(),
        "read": works.read(),
        "matrix": {"rows": parameters["matrix_width"], "columns": parameters["matrix_width"]},
    }
    results |= {dtype: works.products(dtype, of) for dtype, of in batches if of}
    results["disturbances_after"] = disturbances(device)
    return results


@dataclass(frozen=True)
class _Works:
    """What is timed on a device: each checks its result before the first sample is taken."""

    device: "Device"
    parameters: dict[str, Any]
    run: "Journal"

    def copy(self) -> dict[str, Any]:
        """A buffer into another: each byte is read, and written."""
        import torch

        from scripts.kernels.copying import fastest, ways_to_copy

        size = self.parameters["copy_bytes"]

        def buffers() -> "tuple[torch.Tensor, torch.Tensor]":
            source = _random((size // 4,), "fp32", device=self.device)
            return torch.zeros_like(source), source

        def choose() -> str:
            return fastest(ways_to_copy(*buffers()), device=self.device)

        way = self.run.once("copy: fastest", choose)

        def prepare() -> Callable[[], object]:
            target, source = buffers()
            copy = ways_to_copy(target, source)[way]
            copy()
            _expect("copy", error=float(not torch.equal(source, target)), tolerance=0)
            return copy

        found = self._timed("copy", prepare, bytes_moved=copy_bytes(size))
        return {"buffer_bytes": size, "call": way, **found}

    def read(self) -> dict[str, Any]:
        """The sum of a buffer: each byte is read once; the sum is four bytes."""
        size = self.parameters["copy_bytes"]

        def prepare() -> Callable[[], object]:
            source = _random((size // 4,), "fp32", device=self.device)
            # In parts, because a copy of the whole buffer in FP64 may not fit.
            exact = math.fsum(part.double().sum().item() for part in source.split(2**24))
            scale = math.sqrt(source.numel())
            _expect("read", error=abs(source.sum().item() - exact) / scale, tolerance=1e-3)
            return source.sum

        return {"buffer_bytes": size, **self._timed("read", prepare, bytes_moved=size)}

    def products(self, dtype: str, batches: list[int]) -> dict[str, Any]:
        """A matrix in `dtype` times one vector, and times each batch of vectors."""
        import torch
        from torch.nn.functional import linear

        width = self.parameters["matrix_width"]
        shared: list[torch.Tensor] = []

        def calls(batch: int) -> dict[str, Callable[[], torch.Tensor]]:
            """The ways to compute the product; each gives it as one column per vector."""
            if not shared:
                shared.append(_random((width, width), dtype, device=self.device))
            weights = shared[0]
            rows = _random((batch, width), dtype, device=self.device)
            columns = rows.t().contiguous()
            # Products go to cuBLAS (or cuBLASLt), whose sums `scripts.devices.settings` keeps in FP32.
            ways: dict[str, Callable[[], torch.Tensor]] = {
                "linear": lambda: linear(rows, weights).t(),
                "mm": lambda: torch.mm(weights, columns),
            }
            if batch == 1:
                vector = rows[0]
                ways["mv"] = lambda: torch.mv(weights, vector).unsqueeze(1)
            exact = weights[:CHECKED_ROWS].double() @ columns.double()
            for name, way in ways.items():
                error = ((way()[:CHECKED_ROWS].double() - exact).norm() / exact.norm()).item()
                what = f"{name} of {dtype}, {batch} vectors"
                _expect(what, error=error, tolerance=TOLERANCE[dtype])
            return ways

        def fastest(batch: int) -> str:
            times = {
                name: min(seconds_per_call(way, repeats=1, device=self.device) for _ in range(3))
                for name, way in calls(batch).items()
            }
            return min(times, key=times.__getitem__)

        def chosen(batch: int, way: str) -> Callable[[], torch.Tensor]:
            return calls(batch)[way]

        found: dict[int, dict[str, Any]] = {}
        for batch in batches:
            key, shape = f"{dtype} × {batch}", {"rows": width, "columns": width, "vectors": batch}
            way = self.run.once(f"{key}: fastest", partial(fastest, batch))
            # Matrix and batch are read once, the result is written.
            moved = product_bytes(**shape, bytes_per_element=BYTES_PER_ELEMENT[dtype])
            work: dict[str, Any] = {
                "operations": product_operations(**shape),
                "native": self._native(dtype),
            }
            timed = self._timed(key, partial(chosen, batch, way), bytes_moved=moved, **work)
            found[batch] = {"vectors": batch, **timed, "call": way}
        fastest_rate = max(product["operations_per_second"] for product in found.values())
        return {
            "matrix_vector": found[1],
            "matrix_batch": {str(batch): product for batch, product in found.items() if batch > 1},
            "batch_speedup": fastest_rate / found[1]["operations_per_second"],
        }

    def expected_seconds(self, dtype: str = "", batch: int = 0) -> float:
        """A guess of how long one sample takes, for the progress display alone."""
        width = self.parameters["matrix_width"]
        operations = product_operations(rows=width, columns=width, vectors=batch) if batch else 0
        return self._seconds(operations, self._native(dtype) if dtype else True)

    def _seconds(self, operations: float, native: bool) -> float:
        a_core = 50e9 if native else 10e9
        rate = 10e12 if self.device.kind == "cuda" else self.device.cores * a_core
        return max(0.05, operations / rate)

    def _native(self, dtype: str) -> bool:
        return dtype in self.device.dtypes

    def _timed(
        self,
        key: str,
        prepare: Callable[[], Callable[[], object]],
        *,
        bytes_moved: float,
        operations: float = 0,
        native: bool = True,
    ) -> dict[str, Any]:
        found = steady_samples(
            self.run,
            key,
            Timer(prepare, device=self.device),
            count=self.parameters["samples"],
            weight=self._seconds(operations, native),
        )
        seconds = quantity(found.samples)
        results = {
            "bytes": bytes_moved,
            "seconds": seconds,
            **found.as_record(),
            "bytes_per_second": bytes_moved / seconds["median"],
        }
        if operations:
            results["operations"] = operations
            results["operations_per_second"] = operations / seconds["median"]
        return results


def _random(shape: tuple[int, ...], dtype: str, *, device: "Device") -> "torch.Tensor":
    """Normal numbers, the same at each call: zeros and repeats would let some hardware cheat."""
    import torch

    dtypes = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    generator = torch.Generator(device.torch_name).manual_seed(0)
    numbers = torch.empty(shape, device=device.torch_name)
    return numbers.normal_(0, 0.1, generator=generator).to(dtypes[dtype])


def _expect(what: str, *, error: float, tolerance: float) -> None:
    if not error <= tolerance:  # so that NaN fails too
        raise BadInput(
            "experiment bandwidth",
            0,
            f"{what}: wrong result, its relative error is {error:.3g}, not below {tolerance:g}",
            "do not trust this device's figures; check its memory, clocks and libraries",
        )
