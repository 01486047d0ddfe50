"""Tiled kernels in Triton: on a GPU how fast they are, on a CPU, in Triton's interpreter, what they move.

Each result is held to PyTorch's before anything is counted or timed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.devices.not_run import NotRun, attempt
from scripts.devices.timing import Timer
from scripts.records.samples import FEWEST_SAMPLES, quantity

if TYPE_CHECKING:
    import torch

    from scripts.devices.device import Device
    from scripts.records.journal import Journal

    Work = Callable[[], torch.Tensor]

LACKS = "the package triton is not installed: pip install '.[triton]'"
TOLERANCE = 2e-2  # of FP16 results, relative to their largest


def parameters(*, preset: str, device: Device) -> dict[str, Any]:
    """Shapes: large for a GPU; for the interpreter small, and so that tiles stick out."""
    gpu = device.kind == "cuda"
    edge = 8192 if preset == "full" else 4096
    return {
        "preset": preset,
        "matmul": [edge, edge, edge, 64] if gpu else [70, 90, 50, 32],
        "softmax": [edge, edge, 1024] if gpu else [20, 300, 128],
        "attention": [32, edge, 128, 64] if gpu else [2, 100, 64, 32],
        "int4_matvec": [2 * edge, 2 * edge, 32, 32] if gpu else [100, 128, 32, 32],
        "samples": FEWEST_SAMPLES,
    }


def measure(*, device: Device, parameters: dict[str, Any], run: Journal) -> dict[str, Any]:
    """Of each kernel, its distance from PyTorch, and bytes beside the formula or seconds."""
    if importlib.util.find_spec("triton") is None:
        return {"left_out": LACKS}
    if device.kind == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    run.progress(total=len(KERNELS) * (parameters["samples"] if device.kind == "cuda" else 1))
    found: dict[str, Any] = {"triton_version": importlib.metadata.version("triton")}
    for name in KERNELS:
        one = partial(_one, name, device=device, parameters=parameters, run=run)
        found[name] = attempt(one, device=device)
    return found


def _one(name: str, *, device: Device, parameters: dict[str, Any], run: Journal) -> dict[str, Any]:
    import torch

    generator = torch.Generator(device.torch_name).manual_seed(7)
    kernel = KERNELS[name](parameters[name], device.torch_name, generator)
    moved: list[int] = []
    counting = _counting(moved) if device.kind == "cpu" else nullcontext()
    with counting:
        try:
            found = kernel.run()
        except Exception as error:  # Triton's own kind, which derives from no other
            if type(error).__name__ != "OutOfResources":
                raise
            raise NotRun(str(error)) from None  # its tiles exceed what this card's cores share
    expected = kernel.reference()
    difference = float((found.float() - expected.float()).abs().max() / expected.abs().max())
    if not difference <= TOLERANCE:  # so that NaN fails too
        raise NotRun(f"wrong result: off PyTorch's by {difference:.3g} of the largest")
    made: dict[str, Any] = {"difference": difference, "bytes": kernel.bytes}
    if device.kind == "cpu":
        return made | {"counted_bytes": sum(moved)}
    timer = Timer(lambda: kernel.run, device=device)
    seconds = quantity(run.samples(name, timer, count=parameters["samples"]))
    return made | {
        "seconds": seconds,
        "operations": kernel.operations,
        "operations_per_second": kernel.operations / seconds["median"],
        "bytes_per_second": kernel.bytes / seconds["median"],
    }


@contextmanager
def _counting(moved: list[int]) -> Iterator[None]:
    """Adds the bytes of each load and store that the interpreter does, by a private interface of it."""
    from triton.runtime.interpreter import interpreter_builder as builder

    load, store = builder.create_masked_load, builder.create_masked_store

    def count(pointers: Any, mask: Any) -> None:
        moved.append(int(mask.data.sum()) * pointers.get_element_ty().primitive_bitwidth // 8)

    def counted_load(pointers: Any, mask: Any, *others: Any) -> Any:
        count(pointers, mask)
        return load(pointers, mask, *others)

    def counted_store(pointers: Any, value: Any, mask: Any, *others: Any) -> Any:
        count(pointers, mask)
        return store(pointers, value, mask, *others)

    builder.create_masked_load, builder.create_masked_store = counted_load, counted_store
    try:
        yield
    finally:
        builder.create_masked_load, builder.create_masked_store = load, store


@dataclass(frozen=True)
class Kernel:
    """A kernel with its operands: what it moves and does by the formulas, and what PyTorch gives."""

    run: Work
    reference: Work
    bytes: float
    operations: float


def _normal(shape: tuple[int, ...], device: str, generator: torch.Generator) -> torch.Tensor:
    import torch

    return torch.randn(shape, device=device, generator=generator, dtype=torch.float32).half()


def _matmul(shape: list[int], device: str, generator: torch.Generator) -> Kernel:
    from scripts.kernels.triton_kernels import matmul
    from snippets.tiles import matmul_elements

    rows, columns, inner, tile = shape
    first = _normal((rows, inner), device, generator)
    second = _normal((inner, columns), device, generator)
    moved = matmul_elements(rows=rows, columns=columns, inner=inner, tile=tile)
    return Kernel(
        run=lambda: matmul(first, second, tile=tile),
        reference=lambda: first.float() @ second.float(),
        bytes=2 * moved,
        operations=2 * rows * columns * inner,
    )


def _softmax(shape: list[int], device: str, generator: torch.Generator) -> Kernel:
    from scripts.kernels.triton_kernels import softmax
    from snippets.tiles import softmax_elements

    rows, width, block = shape
    given = 4 * _normal((rows, width), device, generator)
    return Kernel(
        run=lambda: softmax(given, block=block),
        reference=lambda: given.float().softmax(dim=1),
        bytes=2 * rows * softmax_elements(width, merged=True),
        operations=5 * rows * width,
    )


def _attention(shape: list[int], device: str, generator: torch.Generator) -> Kernel:
    from torch.nn.functional import scaled_dot_product_attention

    from scripts.kernels.triton_kernels import attention
    from snippets.tiles import attention_elements

    heads, tokens, width, block = shape
    queries, keys, values = (_normal((heads, tokens, width), device, generator) for _ in range(3))
    return Kernel(
        run=lambda: attention(queries, keys, values, block=block),
        # With a dimension for the batch, without which PyTorch stores every score: 9 GB at this length.
        reference=lambda: scaled_dot_product_attention(
            queries.float()[None], keys.float()[None], values.float()[None]
        )[0],
        bytes=2 * heads * attention_elements(tokens=tokens, head_dim=width, block=block),
        operations=4 * heads * tokens * tokens * width,
    )


def _int4_matvec(shape: list[int], device: str, generator: torch.Generator) -> Kernel:
    import torch

    from scripts.kernels.triton_kernels import int4_matvec
    from snippets.tiles import int4_matvec_bytes

    rows, columns, group, block = shape
    levels = torch.randint(-8, 8, (rows, columns), device=device, generator=generator)
    packed = ((levels[:, ::2] + 8) | ((levels[:, 1::2] + 8) << 4)).to(torch.uint8)
    scales = _normal((rows, math.ceil(columns / group)), device, generator)
    vector = _normal((columns,), device, generator)
    weights = levels.float() * scales.float().repeat_interleave(group, dim=1)
    return Kernel(
        run=lambda: int4_matvec(packed, scales, vector, rows=block),
        reference=lambda: weights @ vector.float(),
        bytes=int4_matvec_bytes(rows=rows, columns=columns, group=group, block=block),
        operations=2 * rows * columns,
    )


KERNELS: dict[str, Callable[[list[int], str, Any], Kernel]] = {
    "matmul": _matmul,
    "softmax": _softmax,
    "attention": _attention,
    "int4_matvec": _int4_matvec,
}
