"""Activations: what a layer keeps for its backward pass, tensor by tensor, against 34sbh + 5as²b."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from scripts.accounting.terms import items, terms
from scripts.devices.not_run import attempt
from snippets.training_memory import (
    layer_activation_bytes,
    recomputed_activation_bytes,
    score_activation_bytes,
)

if TYPE_CHECKING:
    from scripts.accounting.activations import Case, Shape
    from scripts.devices.device import Device
    from scripts.models.attention import Kernel
    from scripts.records.journal import Journal

# Korthikanti et al. 2022 keep dropout masks; most decoders since have none.
DROPOUT = 0.1
KERNELS: "tuple[Kernel, ...]" = ("materialised", "flash", "efficient", "sdpa")
STACKED: "tuple[Kernel, ...]" = ("materialised", "flash")
CHECKED: "tuple[Kernel, ...]" = ("materialised", "sdpa")  # those that a CPU can really run
FUSED: "tuple[Kernel, ...]" = ("flash", "efficient", "sdpa")
PRECISIONS = ("bf16", "autocast", "fp32")
RECOMPUTE = ("none", "selective", "full")
SHAPE = ("sequences", "tokens", "width", "heads", "kv_heads", "intermediate")

# Listed tensor by tensor: the paper's layer, the same in use today, and a Llama layer.
ITEMISED = (
    ("gpt", "materialised", "with_dropout", "bf16"),
    ("gpt", "flash", "no_dropout", "bf16"),
    ("gpt", "flash", "no_dropout", "autocast"),
    ("llama", "flash", "no_dropout", "bf16"),
)


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The layer's shape; which ways of running it are itemised. Fake tensors need no memory."""
    return {
        "preset": preset,
        "sequences": 1,
        "tokens": 2048,
        "width": 768,
        "heads": 12,
        "kv_heads": 4,
        "intermediate": 2048,
        "layers": 12,
        "dropout": DROPOUT,
        "method": "allocator" if device.kind == "cuda" else "accounting of fake tensors",
        "checked_tokens": 128,
        "published_shape": {
            "sequences": 1,
            "tokens": 4096,
            "width": 4096,
            "heads": 32,
            "kv_heads": 32,
            "intermediate": 11008,
            "layers": 32,
        },
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Bytes kept by every combination, itemised for some; a stack of layers; Pythia-160M."""
    from scripts.accounting.activations import Shape

    shape = Shape(**{name: parameters[name] for name in SHAPE})
    real = device.kind == "cuda"
    cases = list(_cases())
    run.progress(total=len(cases) + 6)
    results: dict[str, Any] = {}
    for path, case in cases:
        take = partial(_layer, case, shape, device, real=real)
        found = run.once("/".join(path), partial(attempt, take, device=device), weight=1)
        if path[-1] != "none" or path[:-1] not in ITEMISED:
            found = {name: value for name, value in found.items() if name != "items"}
        _place(results, path, found)
    results["stack"] = {}
    for kernel, recompute in product(STACKED, RECOMPUTE):
        take = partial(_stack, kernel, recompute, shape, parameters["layers"], device, real=real)
        name = f"stack/{kernel}/{recompute}"
        found = run.once(name, partial(attempt, take, device=device), weight=1)
        results["stack"][f"{kernel}-{recompute}"] = found
    published, tokens = parameters["published_shape"], parameters["checked_tokens"]
    return results | {
        "pythia": run.once("pythia", lambda: _pythia(shape, device, real=real)),
        "published_shape": run.once("published shape", lambda: _published_shape(published)),
        "really_run": run.once("really run", lambda: _really_run(shape, tokens, device)),
        "chosen_kernels": run.once("chosen kernels", lambda: _chosen_kernels(shape, device)),
    }


def _cases() -> "Iterator[tuple[tuple[str, ...], Case]]":
    """Every combination that exists, with its place in the results."""
    from scripts.accounting.activations import Case

    for block, kernel, precision in product(("gpt", "llama"), KERNELS, PRECISIONS):
        if kernel == "flash" and precision == "fp32":
            continue  # the kernel takes 16-bit inputs only
        for dropout, recompute in product((0.0, DROPOUT), RECOMPUTE):
            # Llama has no dropout, and what PyTorch chooses for it differs from device to device.
            if dropout and (block == "llama" or kernel == "sdpa"):
                continue
            name = "with_dropout" if dropout else "no_dropout"
            path = (block, kernel, name, precision, recompute)
            yield path, Case(block, kernel, precision, dropout, recompute)


def _place(results: dict[str, Any], path: tuple[str, ...], found: Any) -> None:
    for step in path[:-1]:
        results = results.setdefault(step, {})
    results[path[-1]] = found


def formula_bytes(case: "Case", shape: "Shape") -> float:
    """What the formula predicts for a GPT layer in 16 bits; scores count where they are stored."""
    batch = {"tokens": shape.tokens, "sequences": shape.sequences}
    if case.recompute == "full":
        return recomputed_activation_bytes(**batch, width=shape.width, layers=1)
    total = layer_activation_bytes(**batch, width=shape.width)
    if case.kernel == "materialised" and case.recompute == "none":
        total += score_activation_bytes(**batch, heads=shape.heads)
    return total


def _layer(case: "Case", shape: "Shape", device: "Device", *, real: bool) -> dict[str, Any]:
    from scripts.accounting.activations import kept_by_layer

    kept = kept_by_layer(case, shape, device=device.torch_name, real=real)
    predicted = formula_bytes(case, shape)
    # Recomputed parts leave no saved tensors behind: what is still there is what counts.
    counted = kept.by_tensor if case.recompute == "none" else kept.live
    found: dict[str, Any] = {
        "bytes": counted,
        "bytes_per_hidden": counted / shape.hidden_elements,
        "formula_bytes": predicted,
        "over_formula": counted / predicted,
        "live_bytes": kept.live,
        "weight_copy_bytes": kept.weight_copies,
    }
    if case.recompute == "none":
        found["storage_bytes"] = kept.by_storage
        found["items"] = items(kept, shape)
        if case.block == "gpt":
            found["terms"] = terms(kept, shape)
    if kept.allocated is not None:
        found["allocated_bytes"] = kept.allocated
    return found


def _stack(
    kernel: "Kernel", recompute: str, shape: "Shape", layers: int, device: "Device", *, real: bool
) -> dict[str, Any]:
    from scripts.accounting.activations import Case, kept_by_stack

    case = Case("gpt", kernel, "bf16", DROPOUT, recompute)
    stack = kept_by_stack(case, shape, layers=layers, device=device.torch_name, real=real)
    return {
        "kept_bytes": stack.kept,
        "peak_bytes": stack.peak,
        "formula_bytes": layers * formula_bytes(case, shape),
    }


def _pythia(shape: "Shape", device: "Device", *, real: bool) -> dict[str, Any]:
    """Pythia-160M whole: which way of counting gives which multiple of the formula."""
    from scripts.accounting.pythia import PYTHIA_160M

    formula = PYTHIA_160M.num_hidden_layers * layer_activation_bytes(
        tokens=shape.tokens, sequences=shape.sequences, width=PYTHIA_160M.hidden_size
    )
    found: dict[str, Any] = {"formula_bytes": formula}
    for precision, kernel in product(("bf16", "autocast"), FUSED):
        take = partial(_kept, precision, kernel, shape, device, formula=formula, real=real)
        found.setdefault(precision, {})[kernel] = attempt(take, device=device)
    return found


def _kept(
    precision: str,
    kernel: "Kernel",
    shape: "Shape",
    device: "Device",
    *,
    formula: float,
    real: bool,
) -> dict[str, Any]:
    from scripts.accounting.pythia import kept_by_pythia

    kept = kept_by_pythia(
        precision=precision,
        kernel=kernel,
        sequences=shape.sequences,
        tokens=shape.tokens,
        device=device.torch_name,
        real=real,
    )
    # CPUs keep a 16-bit norm's mean and deviation in 16 bits, CUDA in 32.
    widened = kept.norm_statistics if precision == "bf16" and device.kind == "cpu" else 0
    by_tensor = kept.layers_by_tensor + widened
    return {
        **{f"{name}_bytes": count for name, count in asdict(kept).items()},
        "by_tensor_over_formula": by_tensor / formula,
        "by_storage_over_formula": (kept.layers_by_storage + widened) / formula,
        "with_last_hidden_state_over_formula": (by_tensor + kept.head_input) / formula,
    }


def _published_shape(parameters: dict[str, int]) -> dict[str, Any]:
    """A model of 7e9 parameters' shape, 16 bits, with dropout, by accounting: all layers' bytes."""
    from scripts.accounting.activations import Case, Shape, kept_by_layer

    layers = parameters["layers"]
    shape = Shape(**{name: value for name, value in parameters.items() if name != "layers"})
    found: dict[str, Any] = {}
    for kernel in STACKED:
        case = Case("gpt", kernel, "bf16", DROPOUT)
        found[kernel] = {
            "bytes": layers * kept_by_layer(case, shape).by_tensor,
            "formula_bytes": layers * formula_bytes(case, shape),
        }
    return found


def _really_run(shape: "Shape", tokens: int, device: "Device") -> dict[str, Any]:
    """The same counts on real tensors, at fewer tokens: fake ones must not differ by a byte."""
    from dataclasses import replace

    from scripts.accounting.activations import Case

    small = replace(shape, tokens=tokens)
    found = {}
    for block, kernel, precision in product(("gpt", "llama"), CHECKED, PRECISIONS):
        dropout = DROPOUT if (block, kernel) == ("gpt", "materialised") else 0.0
        case = Case(block, kernel, precision, dropout)
        take = partial(_compared, case, small, device)
        found[f"{block}-{kernel}-{precision}"] = attempt(take, device=device)
    return found


def _chosen_kernels(shape: "Shape", device: "Device") -> dict[str, str]:
    """What "sdpa" stands for on this device, by block and precision."""
    import torch

    from scripts.models.attention import chosen_kernel

    found = {}
    for block, precision in product(("gpt", "llama"), PRECISIONS):
        dtype = torch.float32 if precision == "fp32" else torch.bfloat16
        kv_heads = shape.kv_heads if block == "llama" else shape.heads
        query, key, value = (
            torch.zeros(1, heads, shape.tokens, shape.width // shape.heads, dtype=dtype)
            .to(device.torch_name)
            .requires_grad_()
            for heads in (shape.heads, kv_heads, kv_heads)
        )
        found[f"{block}-{precision}"] = chosen_kernel(query, key, value)
    return found


def _compared(case: "Case", shape: "Shape", device: "Device") -> dict[str, Any]:
    from scripts.accounting.activations import kept_by_layer

    real = kept_by_layer(case, shape, device=device.torch_name, real=True)
    fake = kept_by_layer(case, shape, device=device.torch_name)
    return {
        "bytes": real.by_tensor,
        "fake_bytes": fake.by_tensor,
        "live_bytes": real.live,
        "fake_live_bytes": fake.live,
    }
