"""Measure an experiment where its record is stale, else reuse the record."""

import ast
import datetime
import functools
import hashlib
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from scripts import experiments as package
from scripts.core.faults import BadInput
from scripts.devices.device import Device, clocks
from scripts.records.journal import Journal
from scripts.records.record import LOCAL, MEASURE_AGAIN, RECORDS, Record, read_record, write_record

PRESETS = ("quick", "full")
OURS = ("scripts", "snippets")


def experiments() -> list[str]:
    """The names of all experiments that can be measured, in alphabetical order."""
    return [name for name in package.names() if package.module_file(name, "measure")]


def measure(
    experiment: str,
    *,
    device: Device,
    preset: str = "quick",
    root: Path,
    force: bool = False,
    command: str | None = None,
) -> tuple[Record, Literal["reused", "measured"]]:
    """The local record of an experiment, measured now if its fingerprint no longer holds.

    A record of the full preset serves where the quick one is asked for. `command` is what the
    record says it was made with. `root`: the repository.
    Raises BadInput for an unknown experiment or preset, a local record that cannot be used (unless
    `force`), and a disk that is full or read-only; finished samples are then kept.
    """
    module = _load(experiment)
    if preset not in PRESETS:
        raise BadInput(f"--preset {preset}", 0, "no such preset", f"use {' or '.join(PRESETS)}")
    parameters = module.parameters(preset=preset, device=device)
    stamp = fingerprint(experiment, parameters=parameters, device=device)
    path = local_path(root, experiment)
    if path.exists() and not force:
        record = read_record(path)
        fuller = module.parameters(preset="full", device=device)
        if record.fingerprint in (
            stamp,
            fingerprint(experiment, parameters=fuller, device=device),
        ):
            return record, "reused"
    with Journal(experiment=experiment, device=device.slug, fingerprint=stamp, root=root) as run:
        results = module.measure(device=device, parameters=parameters, run=run)
    record = Record(
        experiment=experiment,
        parameters=parameters,
        device=replace(device, clocks=clocks(device)).as_record(),
        software=_software(root),
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


def missing_files(experiment: str, *, root: Path) -> list[str]:
    """The files that an experiment says it `NEEDS` and that are not there: it cannot run yet."""
    needs: tuple[str, ...] = getattr(_load(experiment), "NEEDS", ())
    return [name for name in needs if not (root / name).exists()]


def local_path(root: Path, experiment: str) -> Path:
    """Where the record of the machine one is on lies. `root`: the repository."""
    return root / RECORDS / LOCAL / f"{experiment}.json"


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
    from scripts.plausible import implausible  # it needs snippets, which may not be importable

    for fault in implausible(record):
        raise BadInput(local_path(root, experiment), 0, fault.message, fault.remedy)
    path = root / RECORDS / f"{record.key}.json"
    write_record(path, record)
    return path


def fingerprint(experiment: str, *, parameters: dict[str, Any], device: Device) -> str:
    """SHA-256 over all that a measurement depends on: code, parameters and environment.

    Comments and formatting of the code do not count.
    """
    depends_on = {
        "code": _code(package.module_name(experiment, "measure")),
        "parameters": parameters,
        "device": device.identity,
        "python": ".".join(platform.python_version_tuple()[:2]),
        "torch": importlib.metadata.version("torch"),
    }
    canonical = json.dumps(depends_on, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _load(experiment: str) -> ModuleType:
    known = experiments()
    if experiment not in known:
        raise BadInput(
            f"--only {experiment}", 0, "no such experiment", f"use one of: {', '.join(known)}"
        )
    return importlib.import_module(package.module_name(experiment, "measure"))


def _code(module: str) -> dict[str, str]:
    """A digest of the code of a module and of each module of ours that it imports, by name."""
    digests: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        source = None if name in digests else _source(name)
        if source is None:
            continue
        digests[name], imports = _parsed(source, source.stat().st_mtime_ns)
        waiting.extend(imports)
    return digests


@functools.cache
def _parsed(source: Path, changed: int) -> tuple[str, list[str]]:
    """(digest, imports) of a module's code; experiments share most of the modules they import."""
    tree = ast.parse(source.read_bytes())
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), _imports(tree)


def _imports(tree: ast.AST) -> list[str]:
    """What a module may import of ours, anywhere in it, but for type checking only.

    Of "from package import name", both the package and the name: either can be a module.
    """
    names: list[str] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
            names.extend(f"{node.module}.{alias.name}" for alias in node.names)
    return [name for name in names if name.split(".")[0] in OURS]


def _source(module: str) -> Path | None:
    """The file of a module of ours, found without importing it; None if it is no module."""
    name, *rest = module.split(".")
    spec = importlib.util.find_spec(name)
    for step in rest:
        inside = getattr(sys.modules.get(name), "__path__", None)
        inside = inside or (spec.submodule_search_locations if spec else None)
        if inside is None:
            return None
        name = f"{name}.{step}"
        spec = importlib.machinery.PathFinder.find_spec(name, list(inside))
    return Path(spec.origin) if spec and spec.origin else None


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
