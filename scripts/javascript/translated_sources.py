"""Which Python modules are translated, and where a name in one of them is defined."""

import ast
import dataclasses
import functools
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any

import snippets
from scripts.core.faults import BadInput

ROOT = Path(__file__).resolve().parents[2]
OURS = ("snippets", "scripts")
KNOWN = (
    "math",
    "collections.abc",
    "dataclasses",
    "functools",
    "json",
    "pathlib",
    "re",
    "typing",
)  # imports that mean nothing by themselves


# A module whose entries are read from data defines this, for type checkers.
REGISTRY = "__getattr__"


@dataclasses.dataclass(frozen=True)
class Place:
    """A name and the module that defines it."""

    module: str
    name: str


@dataclasses.dataclass(frozen=True)
class Source:
    """A module: its tree, and its own definitions and imports by name."""

    name: str
    path: str
    tree: ast.Module
    definitions: dict[str, ast.stmt]
    imports: dict[str, Place]
    imported: frozenset[str]

    @property
    def values(self) -> ModuleType:
        """The imported module: what its registries and constants are is asked of Python itself."""
        return importlib.import_module(self.name)


def refuse(source: Source, node: ast.AST, message: str, remedy: str) -> BadInput:
    """What is raised for a construct that has no translation."""
    line = getattr(node, "lineno", 0)
    return BadInput(source.path, line, f"cannot be translated to JavaScript: {message}", remedy)


@functools.cache
def read_source(module: str) -> Source:
    """A module of this repository, parsed."""
    base = ROOT.joinpath(*module.split("."))
    file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    path = file.relative_to(ROOT).as_posix()
    tree = ast.parse(file.read_text(encoding="utf-8"), filename=path)
    definitions: dict[str, ast.stmt] = {}
    imports: dict[str, Place] = {}
    imported: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            definitions |= {each.id: node for each in targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
            imports |= {alias.asname or alias.name: Place(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module)
            for alias in node.names:
                imports[alias.asname or alias.name] = Place(node.module, alias.name)
    if REGISTRY in definitions:
        entries = {n for n, e in vars(importlib.import_module(module)).items() if _is_entry(e)}
        tree, definitions, imported = ast.Module([], []), dict.fromkeys(entries, ast.Pass()), set()
    return Source(module, path, tree, definitions, imports, frozenset(imported))


def _is_entry(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


@functools.cache
def is_pure(module: str) -> bool:
    """Whether a module, and all of ours that it imports, do without NumPy and the outside world."""
    for name in read_source(module).imported:
        if name.split(".")[0] in OURS:
            if not is_pure(name):
                return False
        elif name not in KNOWN:
            return False
    return True


def check_pure(source: Source) -> None:
    """Raise BadInput for a module that cannot be translated, naming the import in its way."""
    for node in source.tree.body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            ours = name.split(".")[0] in OURS
            if not (is_pure(name) if ours else name in KNOWN):
                raise refuse(
                    source,
                    node,
                    f"it imports {name}",
                    "move what the page needs to a module that imports only math and such modules",
                )


def resolve(module: str, name: str) -> Place | None:
    """Where a module's global name is defined; name "" for a module, None for a built-in name."""
    source = read_source(module)
    if name in source.definitions:
        return Place(module, name)
    found = source.imports.get(name)
    if found is None or found.module.split(".")[0] not in OURS:
        return found
    within = read_source(found.module)
    if found.name in within.definitions or found.name in within.imports:
        return resolve(found.module, found.name)
    if hasattr(within.values, "MODELS") and found.name in vars(within.values):
        return found  # an entry of a registry, which its module makes of data
    return Place(f"{found.module}.{found.name}", "")


def translated_modules() -> list[str]:
    """The dotted names of the snippets that are translated: all but the examples and NumPy's."""
    names = [module.name for module in pkgutil.walk_packages(snippets.__path__, "snippets.")]
    return [name for name in names if "examples" not in name.split(".") and is_pure(name)]


@functools.cache
def public_places() -> dict[str, Place]:
    """Every public name of the translated snippets, and where it is defined."""
    return {
        name: Place(module, name)
        for module in translated_modules()
        for name in read_source(module).definitions
        if not name.startswith("_")
    }


def value_of(place: Place) -> Any:
    """What a global name stands for, as Python computed it."""
    return getattr(read_source(place.module).values, place.name)
