"""Training memory: bytes per parameter through two training steps, in each of the usual recipes."""

import importlib.metadata
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scripts.accounting.allocations import Event
    from scripts.accounting.training_steps import Phase, Steps
    from scripts.devices.device import Device
    from scripts.records.journal import Journal

MODEL = "Pythia-160M"
ALL = (
    *("fp32_adamw_foreach", "fp32_adamw_fused", "autocast_adamw_foreach", "autocast_adamw_fused"),
    *("bf16_master", "bf16_master_gradients", "fp32_sgd_momentum", "fp32_adafactor"),
    *("fp32_muon", "fp32_adamw_8bit"),
)
# Foreach, fused, autocast, BF16 with an FP32 master copy: what the quick preset leaves in.
QUICK = ("fp32_adamw_foreach", "fp32_adamw_fused", "autocast_adamw_fused", "bf16_master")
DRAWN = ("fp32_adamw_foreach", "autocast_adamw_fused", "bf16_master")
SCANNED = ("fp32_adamw_foreach", "autocast_adamw_foreach", "bf16_master")
TIMELINE_POINTS = 240
CATEGORIES = (
    *("weights", "master_weights", "gradients", "master_gradients"),
    *("optimizer", "activations", "temporaries"),
)
# Llama Team 2024 (arXiv:2407.21783), table 3.
LARGE = {
    "Llama 3.1 8B": {"layers": 32, "width": 4096, "intermediate": 14336, "heads": 32},
    "Llama 3.1 405B": {"layers": 126, "width": 16384, "intermediate": 53248, "heads": 128},
}


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Which recipes, on which batch; fake tensors on a CPU, so that any size fits."""
    full, pythia = preset == "full", ("fp32_adamw_fused", "autocast_adamw_fused", "bf16_master")
    return {
        "preset": preset,
        "model": MODEL,
        "method": "allocator" if device.kind == "cuda" else "accounting of fake tensors",
        "sequences": 4,
        "tokens": 512,
        "recipes": list(ALL if full else QUICK),
        "scanned_tokens": [2**power for power in range(6, 14)] if full else [],
        "resident_tokens": 16,
        "resident": list(pythia if full else pythia[:1]),
        "large": {
            "model": "Llama 3.1 405B" if full else "Llama 3.1 8B",
            "recipe": "bf16_master",
            "tokens": 8192,
        },
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Each recipe phase by phase; what an allocator adds; what the system counts; a large model."""
    batch = {"sequences": parameters["sequences"], "tokens": parameters["tokens"]}
    thrice = len(parameters["scanned_tokens"]) + len(parameters["resident"])
    run.progress(total=len(parameters["recipes"]) + 3 * thrice + 5)
    results: dict[str, Any] = {"recipes": {}, "timelines": {}}
    for name in parameters["recipes"]:
        take = partial(_recipe, name, batch=batch, device=device)
        found = run.once(name, take, weight=1)
        if "timeline" in found:
            results["timelines"][name] = found.pop("timeline")
        results["recipes"][name] = found
    if parameters["scanned_tokens"]:
        results["scan"] = _scan(parameters["scanned_tokens"], device=device, run=run)
    if device.kind == "cpu":
        results["resident"] = {}
        for name in parameters["resident"]:
            take = partial(_resident, name, tokens=parameters["resident_tokens"])
            results["resident"][name] = run.once(f"resident {name}", take, weight=3)
    results["large"] = run.once("large", partial(_large, **parameters["large"]), weight=1)
    return results


def _recipe(name: str, *, batch: dict[str, int], device: "Device") -> dict[str, Any]:
    """One recipe; where it cannot be run, the reason."""
    from scripts.accounting.training_recipes import RECIPES, obstacle
    from scripts.devices.not_run import attempt

    reason = obstacle(RECIPES[name])
    if reason is not None:
        return {"not_run": reason}
    return attempt(partial(_phases, name, batch=batch, device=device), device=device)


def _phases(name: str, *, batch: dict[str, int], device: "Device") -> dict[str, Any]:
    steps = _steps(name, batch=batch, device=device.torch_name, real=device.kind == "cuda")
    held = steps.phases["first_step"]
    found: dict[str, Any] = {
        "parameters": steps.parameters,
        "bytes_per_parameter": held.bytes / steps.parameters,
        "peak_bytes_per_parameter": max(p.peak for p in steps.phases.values()) / steps.parameters,
        "parts": {
            category: count / steps.parameters for category, count in held.by_category.items()
        },
        "phases": {
            phase: _described(counted, parameters=steps.parameters)
            for phase, counted in steps.phases.items()
        },
        "simulated_allocator": _simulated(steps.events, parameters=steps.parameters, device=device),
    }
    if name.endswith("8bit"):
        found["library"] = f"torchao {importlib.metadata.version('torchao')}"
    if held.allocated is not None and held.requested is not None:
        found["allocator"] = {
            "bytes_per_parameter": held.allocated / steps.parameters,
            "requested_bytes_per_parameter": held.requested / steps.parameters,
            "not_tensors_bytes": held.requested - held.bytes,
            "rounding_bytes": held.allocated - held.requested,
        }
    if name in DRAWN:
        found["timeline"] = _timeline(steps)
    return found


def _steps(name: str, *, batch: dict[str, int], device: str = "cpu", real: bool = False) -> "Steps":
    from scripts.accounting.pythia import PYTHIA_160M
    from scripts.accounting.training_recipes import RECIPES
    from scripts.accounting.training_steps import take_steps
    from scripts.models.gpt_neox import GPTNeoX

    return take_steps(
        RECIPES[name],
        lambda: GPTNeoX(PYTHIA_160M),
        vocab_size=PYTHIA_160M.vocab_size,
        device=device,
        real=real,
        **batch,
    )


def _described(phase: "Phase", *, parameters: int) -> dict[str, Any]:
    described: dict[str, Any] = {
        "bytes": phase.bytes,
        "bytes_per_parameter": phase.bytes / parameters,
        "peak_bytes": phase.peak,
        "peak_bytes_per_parameter": phase.peak / parameters,
        "by_category": dict(sorted(phase.by_category.items())),
    }
    if phase.allocated is not None:
        described["allocated_bytes"] = phase.allocated
        described["allocated_peak_bytes"] = phase.allocated_peak
    return described


def _simulated(events: "list[Event]", *, parameters: int, device: "Device") -> dict[str, Any]:
    """What CUDA's allocator would report after the first step, with no, one and two workspaces.

    A workspace is taken when a thread first multiplies: the main thread forward, autograd's
    backward.
    """
    from scripts.accounting.allocator import replay, workspace_bytes

    workspace = workspace_bytes(device)

    workspaces: dict[str, dict[str, int]] = {
        "no_workspace": {},
        "one_workspace": {"forward": workspace},
        "two_workspaces": {"forward": workspace, "backward": workspace},
    }
    found = {}
    for name, taken in workspaces.items():
        usage = replay(events, workspaces=taken)["first_step"]
        found[name] = {
            "workspace_bytes": sum(taken.values()),
            "rounding_bytes": usage.rounding,
            "remainder_bytes": usage.allocated - usage.requested - usage.rounding,
            "allocated_bytes": usage.allocated,
            "reserved_bytes": usage.reserved,
            "bytes_per_parameter": usage.allocated / parameters,
        }
    return found


def _timeline(steps: "Steps") -> dict[str, Any]:
    """Live bytes of each category through both steps, thinned, with the end of each phase."""
    from scripts.accounting.allocations import thin, timeline

    operations, series = thin(
        *timeline(steps.allocations, first=0, last=max(steps.ends.values())),
        points=TIMELINE_POINTS,
    )
    return {
        "parameters": steps.parameters,
        "ends": steps.ends,
        "operations": operations,
        "bytes": {name: series[name] for name in CATEGORIES if any(series.get(name, ()))},
    }


def _scan(tokens: list[int], *, device: "Device", run: "Journal") -> dict[str, Any]:
    """The simulated allocator's bytes per parameter over batches of different sizes."""

    def simulated(name: str, count: int) -> dict[str, Any]:
        steps = _steps(name, batch={"sequences": 1, "tokens": count})
        return _simulated(steps.events, parameters=steps.parameters, device=device)

    found: dict[str, Any] = {}
    for name in SCANNED:
        by_tokens = {
            count: run.once(f"scan {name} {count}", partial(simulated, name, count), weight=1)
            for count in tokens
        }
        found[name] = {}
        for workspaces in ("no_workspace", "one_workspace", "two_workspaces"):
            per_parameter = {
                str(count): usage[workspaces]["bytes_per_parameter"]
                for count, usage in by_tokens.items()
            }
            found[name][workspaces] = {
                "bytes_per_parameter": per_parameter,
                "least": min(per_parameter.values()),
                "most": max(per_parameter.values()),
            }
    return found


def _resident(name: str, *, tokens: int) -> dict[str, Any]:
    """What the operating system counts for a process that really takes the first step."""
    from scripts.accounting.pythia import PYTHIA_160M_PARAMETERS
    from scripts.accounting.resident import grown_bytes

    found: dict[str, Any] = {}
    for key, keep in (("with_library_buffers", True), ("without_library_buffers", False)):
        phases = grown_bytes(name, sequences=1, tokens=tokens, keep_buffers=keep)
        found[key] = {
            "bytes_per_parameter": phases["first_step"] / PYTHIA_160M_PARAMETERS,
            "phases": {f"{phase}_bytes": grown for phase, grown in phases.items()},
        }
    return found


def _large(*, model: str, recipe: str, tokens: int) -> dict[str, Any]:
    """One training step of a model too large for any machine, layers recomputed, on fake tensors."""
    import time

    from scripts.accounting.training_recipes import RECIPES
    from scripts.accounting.training_steps import take_steps
    from scripts.models.llama_fused import Llama, LlamaConfig

    shape = LARGE[model]
    config = LlamaConfig(
        vocab_size=128256,
        hidden_size=shape["width"],
        num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"],
        num_key_value_heads=8,
        intermediate_size=shape["intermediate"],
    )
    began = time.perf_counter()
    steps = take_steps(
        RECIPES[recipe],
        lambda: Llama(config, kernel="flash", recompute=True),
        vocab_size=config.vocab_size,
        sequences=1,
        tokens=tokens,
        count=1,
    )
    return {
        "parameters": steps.parameters,
        "bytes": steps.phases["first_step"].bytes,
        "bytes_per_parameter": steps.phases["first_step"].bytes / steps.parameters,
        "peak_bytes": max(phase.peak for phase in steps.phases.values()),
        "activation_bytes": steps.phases["forward"].by_category["activations"],
        "accounting_seconds": time.perf_counter() - began,
    }
