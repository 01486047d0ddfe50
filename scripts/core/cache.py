"""Remember what was computed, by the content it was computed from. Deleting `.cache/` is always safe."""

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache as remember
from pathlib import Path
from typing import Any

from scripts.core.files import write_text


class Cache:
    """A small store of JSON values in `.cache/NAME.json`, kept only while they are used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stores: dict[str, dict[str, Any]] = {}
        self._used: dict[str, set[str]] = {}
        self._changed: set[str] = set()

    def get(self, name: str, key: str) -> Any:
        """The value stored under `key`, or None."""
        self._used.setdefault(name, set()).add(key)
        return self._store(name).get(key)

    def put(self, name: str, key: str, value: Any) -> None:
        """Store a JSON value under `key`."""
        self._used.setdefault(name, set()).add(key)
        self._store(name)[key] = value
        self._changed.add(name)

    def save(self, *, prune: bool = False) -> None:
        """Write what changed. With `prune`, forget what was not asked for since this was made."""
        for name, store in self._stores.items():
            kept = {k: v for k, v in store.items() if not prune or k in self._used.get(name, set())}
            if name in self._changed or len(kept) < len(store):
                write_text(self.folder / f"{name}.json", json.dumps(kept, indent=0))
        self._changed.clear()

    def _store(self, name: str) -> dict[str, Any]:
        if name not in self._stores:
            try:
                found = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):  # absent or damaged: computed afresh
                found = {}
            self._stores[name] = found if isinstance(found, dict) else {}
        return self._stores[name]


def tree_digest(root: Path, folders: Iterable[str]) -> str:
    """A digest of the names and contents of all files in folders (or of files) under `root`."""
    digest = hashlib.sha256()
    for folder in folders:
        start = root / folder
        files = sorted(start.rglob("*")) if start.is_dir() else [start]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(root).as_posix()}\0".encode())
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


@remember
def syntax_digest(source: str) -> str:
    """A digest of what Python source says: without comments, docstrings, layout and imports of ours."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        node.body = [each for each in body if not _says_nothing(each)] or [ast.Pass()]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _says_nothing(node: ast.AST) -> bool:
    """Whether it is a docstring, or says only where something of ours stands."""
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in ("snippets", "scripts")
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@remember
def file_digest(path: Path) -> str:
    """The SHA-256 of a file's bytes; "absent" when it is not there."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "absent"


def imported_files(source: str, root: Path) -> set[Path]:
    """The files of this repository that Python source imports, directly or not."""
    found: set[Path] = set()
    queue = [source]
    while queue:
        for file in _direct_imports(queue.pop(), root):
            if file not in found:
                found.add(file)
                queue.append(file.read_text(encoding="utf-8"))
    return found


def source_digest(source: str, root: Path) -> str:
    """A digest of Python source and of all files of this repository that it imports."""
    parts = [hashlib.sha256(source.encode()).hexdigest()]
    for file in sorted(imported_files(source, root)):
        parts.append(f"{file.relative_to(root)} {file_digest(file)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@remember
def _direct_imports(source: str, root: Path) -> tuple[Path, ...]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    files = set()
    for name in names:
        parts = name.split(".")
        if parts[0] not in ("snippets", "scripts"):
            continue
        for depth in range(1, len(parts) + 1):
            base = root.joinpath(*parts[:depth])
            files |= {f for f in (base.with_suffix(".py"), base / "__init__.py") if f.is_file()}
    return tuple(sorted(files))
