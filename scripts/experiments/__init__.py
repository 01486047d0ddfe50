"""Experiments, a room each: what is measured, what follows from the samples, what is shown of it.

A room's `measure.py` says its parameters and measures; `limits.py` what its record must hold and what
it can never hold; `tables.py` and `figures.py` what pages show of it. A room registers by being there.
"""

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

RANKS = "-ranks"  # ends the name of a record of several ranks (scripts/measure_ranks.py)


def names() -> list[str]:
    """The names of all rooms, in alphabetical order: their folders', with hyphens."""
    found = pkgutil.iter_modules(__path__)
    return sorted(each.name.replace("_", "-") for each in found if each.ispkg)


def module_name(experiment: str, part: str) -> str:
    """The dotted name of a part of a room, such as "measure" or "tables"."""
    return f"{__name__}.{experiment.replace('-', '_')}.{part}"


def module_file(experiment: str, part: str) -> Path | None:
    """The file of a part of a room; None where the room has no such part, or is none."""
    rooms = [Path(folder) / experiment.replace("-", "_") for folder in __path__]
    files = (room / f"{part}.py" for room in rooms)
    return next((file for file in files if file.is_file()), None)


def part(experiment: str, name: str) -> ModuleType | None:
    """A part of an experiment's room, imported now; None where the room has no such part."""
    if module_file(experiment, name) is None:
        return None
    return importlib.import_module(module_name(experiment, name))
