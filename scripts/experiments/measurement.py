"""Measure an experiment where its record is stale, else reuse the record."""

import datetime
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import platform
import subprocess
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from scripts import experiments as package
from scripts.core.faults import BadInput
from scripts.core.freshness import Modules, key
from scripts.devices import under_load
from scripts.devices.device import Device, clocks
from scripts.devices.settings import settle
from scripts.records.journal import Journal
from scripts.records.record import (
    LOCAL,
    MEASURE_AGAIN,
    RECORDS,
    Record,
    read_record,
    record_paths,
    write_record,
)

PRESETS = ("quick", "full")


def experiments() -> list[str]:
    """The names of all experiments that can be measured, in alphabetical order."""
    return [name for name in package.names() if package.module_file(name, "measure")]


def measure(
    experiment: str,
    *,
    device: Device,
    preset: str = "quick",
    root: Path,
    code: Path | None = None,
    force: bool = False,
    command: str | None = None,
) -> tuple[Record, Literal["reused", "measured"]]:
    """The local record of an experiment, measured now if its fingerprint no longer holds.

    A record of the full preset serves where the quick one is asked for. `command` is what the
    record says it was made with. `root`: the repository, or where records go if `code` says where the
    repository is.
    Raises BadInput for an unknown experiment or preset, a local record that cannot be used (unless
    `force`), and a disk that is full or read-only; finished samples are then kept.
    """
    module = _load(experiment)
    if preset not in PRESETS:
        raise BadInput(f"--preset {preset}", 0, "no such preset", f"use {' or '.join(PRESETS)}")
    parameters = module.parameters(preset=preset, device=device)
    code = code or root
    stamp = fingerprint(experiment, parameters=parameters, device=device, root=code)
    path = local_path(root, experiment)
    if path.exists() and not force:
        record = read_record(path)
        fuller = module.parameters(preset="full", device=device)
        if record.fingerprint in (
            stamp,
            fingerprint(experiment, parameters=fuller, device=device, root=code),
        ):
            return record, "reused"
    settings = settle(device)
    under_load.start()
    with Journal(experiment=experiment, device=device.slug, fingerprint=stamp, root=root) as run:
        results = module.measure(device=device, parameters=parameters, run=run)
    record = Record(
        experiment=experiment,
        parameters=parameters,
        device=replace(device, clocks=clocks(device)).as_record(),
        software=_software(root) | ({"settings": settings} if settings else {}),
        when=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        provenance={
            "kind": "measured",
            "command": command
            or f"python scripts/build.py --only {experiment} --device {device.torch_name} "
            f"--preset {preset}",
        },
        fingerprint=stamp,
        results=results,
    )
    write_record(path, record)
    run.finish()
    return record, "measured"


def expected_seconds(experiment: str, *, device: Device, preset: str) -> float | None:
    """How long an experiment may take, where the device's speed decides it; None elsewhere."""
    module = _load(experiment)
    guess = getattr(module, "expected_seconds", None)
    if guess is None:
        return None
    seconds: float = guess(
        device=device, parameters=module.parameters(preset=preset, device=device)
    )
    return seconds


def missing_files(experiment: str, *, root: Path) -> list[str]:
    """The files that an experiment says it `NEEDS` and that are not there: it cannot run yet."""
    needs: tuple[str, ...] = getattr(_load(experiment), "NEEDS", ())
    return [name for name in needs if not (root / name).exists()]


def local_path(root: Path, experiment: str) -> Path:
    """Where the record of the machine one is on lies. `root`: the repository."""
    return root / RECORDS / LOCAL / f"{experiment}.json"


def published_elsewhere(root: Path, experiment: str) -> str | None:
    """The key of another device's record that says all that one of this device could say."""
    if not getattr(package.part(experiment, "limits"), "SAME_EVERYWHERE", False):
        return None
    own = read_record(local_path(root, experiment)).key
    return next(
        (key for key in record_paths(root) if key.endswith(f"/{experiment}") and key != own), None
    )


def publish(root: Path, experiment: str) -> Path:
    """Copy the local record to its device's folder, which is published; where it now lies.

    Raises BadInput when there is no local record, or it cannot be used or true.
    """
    record = read_record(local_path(root, experiment))
    if record.experiment != experiment:
        message = f"holds the record of {record.experiment}"
        raise BadInput(
            local_path(root, experiment), 0, message, MEASURE_AGAIN.format(experiment=experiment)
        )
    from scripts.experiments.plausibility import (
        implausible,  # it needs snippets, which may not be importable
    )

    for fault in implausible(record):
        raise BadInput(local_path(root, experiment), 0, fault.message, fault.remedy)
    path = root / RECORDS / f"{record.key}.json"
    write_record(path, record)
    return path


def fingerprint(experiment: str, *, parameters: dict[str, Any], device: Device, root: Path) -> str:
    """SHA-256 over all that a measurement depends on: what the code under `root` says, parameters,
    device and environment. Where the code stands does not count, nor what only explains it."""
    return key(
        code=Modules(root).digest(package.module_name(experiment, "measure")),
        parameters=parameters,
        device=device.identity,
        python=".".join(platform.python_version_tuple()[:2]),
        torch=importlib.metadata.version("torch"),
    )


def _load(experiment: str) -> ModuleType:
    known = experiments()
    if experiment not in known:
        remedy = f"use one of: {', '.join(known)}"
        if experiment.endswith(package.RANKS):
            remedy = f"torchrun -m scripts.measure_ranks {experiment.removesuffix(package.RANKS)}"
        raise BadInput(f"--only {experiment}", 0, "no such experiment", remedy)
    return importlib.import_module(package.module_name(experiment, "measure"))


def _software(root: Path) -> dict[str, Any]:
    import torch

    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "commit": _commit(root),
    }


def _commit(root: Path) -> str | None:
    """The commit that is checked out, marked where tracked files differ; None without git."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
