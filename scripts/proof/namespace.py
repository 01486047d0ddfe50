"""The public names of a package, which expressions on pages may use.

Whoever makes an Evaluator calls `names_of(package)` and hands it what comes back: functions, classes,
numbers and registry entries by name. Programs that only pages show, in its room `examples`, have none.
"""

import importlib
import pkgutil
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from scripts.core.faults import BadInput


def modules_of(package: ModuleType) -> Iterator[ModuleType]:
    """Its modules, and packages within it as they are imported.

    Raises BadInput, naming the line, for one that cannot be imported.
    """
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if not module.name.startswith(f"{package.__name__}.examples"):
            yield _load(module.name)


def path_of(module: ModuleType | str) -> str:
    """Where a module's file lies in its repository."""
    name = module if isinstance(module, str) else module.__name__
    found = name.replace(".", "/")
    return f"{found}/__init__.py" if hasattr(module, "__path__") else f"{found}.py"


@cache
def names_of(package: ModuleType) -> Mapping[str, Any]:
    """All public names; of a package within it, those that it exports.

    Raises BadInput where two modules call different things by one name.
    """
    names: dict[str, Any] = {}
    for module in modules_of(package):
        for name, value in _public(module, package.__name__).items():
            if names.setdefault(name, value) is not value:
                message = f"{name} is already the name of something else in {package.__name__}/"
                raise BadInput(path_of(module), 0, message, "give one of the two another name")
    return names


def _load(name: str) -> ModuleType:
    package = name.partition(".")[0]
    try:
        return importlib.import_module(name)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if f"{package}/" in frame.filename]
        path, line = (ours[-1].filename, ours[-1].lineno) if ours else (path_of(name), 0)
        if isinstance(error, SyntaxError) and error.filename:
            path, line = error.filename, error.lineno
        message = f"cannot be imported: {type(error).__name__}: {error}"
        place = path[max(path.rfind(f"{package}/"), 0) :]
        raise BadInput(place, line or 0, message, "correct the module") from error


def _public(module: ModuleType, package: str) -> dict[str, Any]:
    """Functions, classes, numbers, dicts, and registry entries (which have `sources`)."""
    names = {}
    for name, value in vars(module).items():
        ours = str(getattr(value, "__module__", "")).startswith(f"{package}.")
        named = callable(value) or isinstance(getattr(value, "sources", None), Mapping)
        if not name.startswith("_") and (isinstance(value, int | float | dict) or (ours and named)):
            names[name] = value
    return names
