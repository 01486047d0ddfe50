"""Decide what is fresh: whoever keeps a result asks for a key of all that the result depends on.

Measurements, programs in pages, exhibits, labs and the site call `key` with named parts: what code
says (`Modules`), what files hold (`files_digest`), versions, the environment. What comes back is a
SHA-256, the same as long as nothing that counts has changed.

Code counts by what it says: the syntax trees of all modules of ours that it imports, directly or
not, without comments, docstrings, formatting, and the names and places of modules. So a module can
be moved and renamed freely. A package imported by its bare name counts with all its modules, since
who does so lists them. A string that names a module of ours counts as an import of it, and one
that names a file or a folder of the project as a dependency on what that holds. What is imported for
type checking alone does not count.
"""

import ast
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scripts.core.cache import Cache

OURS = ("scripts", "snippets")
MODULE = re.compile(rf"(?:{'|'.join(OURS)})(?:\.\w+)+")
DATA = re.compile(r"(?:docs|scripts|snippets|third_party)/[\w./-]+")
STORE = "trees"  # of the cache
SILENT = ("ctx", "kind", "type_comment", "type_ignores")  # fields of trees that say nothing


def key(**parts: Any) -> str:
    """SHA-256 over named parts, each of them anything that JSON holds."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def environment(*names: str) -> dict[str, str]:
    """The variables of the environment that a result depends on, "" where one is not set."""
    return {name: os.environ.get(name, "") for name in names}


def files_digest(root: Path, paths: Iterable[str | Path]) -> str:
    """A digest of the names and contents of files, and of all files in folders, under `root`."""
    digest = hashlib.sha256()
    for path in paths:
        start = root / path
        for file in sorted(start.rglob("*")) if start.is_dir() else [start]:
            if file.is_dir() or "__pycache__" in file.parts:
                continue
            held = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else "absent"
            digest.update(f"{file.relative_to(root).as_posix()}\0{held}\0".encode())
    return digest.hexdigest()


class Modules:
    """The modules of ours under `root` as they are now; make a new one when files have changed.

    With a `cache`, a module that was read before is not parsed again.
    """

    def __init__(self, root: Path, cache: Cache | None = None) -> None:
        self.root = root
        self._cache = cache or Cache(root)  # which is never saved then
        self._files = {name: path for package in OURS for name, path in _modules(root, package)}
        self._known = key(modules=sorted(self._files))
        self._read: dict[str, dict[str, Any]] = {}

    def digest(self, *modules: str) -> str:
        """A digest of what modules and all that they import say. Raises KeyError for no module."""
        return self._digest([self._module(name) for name in self.imported(*modules)])

    def source_digest(self, source: str) -> str:
        """A digest of a program's very text, and of what all modules that it imports say."""
        program = self._analysed(source.encode())
        return key(source=source, code=self.digest(*(each[0] for each in program["imports"])))

    def program_digest(self, program: str) -> str:
        """A digest of what a program says, and of what all modules that it imports say."""
        read = self._analysed(program.encode())
        names = self.imported(*(each[0] for each in read["imports"]))
        return self._digest([read, *map(self._module, names)])

    def imported(self, *modules: str) -> set[str]:
        """The modules of ours that count: those named, and all that they import."""
        found: set[str] = set()
        waiting = list(modules)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += [each[0] for each in self._module(name)["imports"]]
        return found

    def _digest(self, read: list[dict[str, Any]]) -> str:
        said = {
            key(
                tree=each["tree"],
                imports=sorted(
                    f"{member} as {bound}: {self._module(name)['tree']}"
                    for name, member, bound in each["imports"]
                ),
            )
            for each in read
        }
        data = {path for each in read for path in each["data"] if (self.root / path).exists()}
        return key(said=sorted(said), data=files_digest(self.root, sorted(data)))

    def _module(self, name: str) -> dict[str, Any]:
        if name not in self._read:
            self._read[name] = self._analysed(self._files[name].read_bytes())
        return self._read[name]

    def _analysed(self, source: bytes) -> dict[str, Any]:
        """A digest of a module's `tree`, its `imports` (module, member, name here), its `data`."""
        stamp = f"{hashlib.sha256(source).hexdigest()} {self._known}"
        found: dict[str, Any] | None = self._cache.get(STORE, stamp)
        if found is None:
            try:
                reader = _Reader(ast.parse(source), self._files)
                found = {"tree": reader.tree, "imports": reader.imports, "data": reader.data}
            except SyntaxError:
                found = {"tree": stamp, "imports": [], "data": []}
            self._cache.put(STORE, stamp, found)
        return found


def _modules(root: Path, package: str) -> Iterator[tuple[str, Path]]:
    for file in (root / package).rglob("*.py"):
        parts = file.relative_to(root).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


class _Reader:
    """Reads one module's tree. Of imports of ours, only what they name stays in the text: the order
    of import statements follows the names of modules, which do not count."""

    def __init__(self, tree: ast.Module, modules: Iterable[str]) -> None:
        self._modules = set(modules)
        self._bound: set[str] = set()  # names that stand for a whole module of ours
        self.imports: list[tuple[str, str, str]] = []
        self.data: list[str] = []
        for node in _running(tree):
            self._note_imports(node)
        self.tree = hashlib.sha256("".join(self._written(tree)).encode()).hexdigest()

    def _note_imports(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            below = tuple(f"{name}." for name in names & set(OURS))
            self.imports += [
                (each, "", "")
                for each in sorted(self._modules)
                if each in names or each.startswith(below)
            ]
            self._bound |= {a.asname for a in node.names if a.asname and a.name in self._modules}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                bound = alias.asname or alias.name
                whole = f"{node.module}.{alias.name}"
                if whole in self._modules:
                    self.imports.append((whole, "", ""))
                    self._bound.add(bound)
                elif node.module in self._modules:
                    self.imports.append((node.module, alias.name, bound))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value in self._modules and MODULE.fullmatch(node.value):
                self.imports.append((node.value, "", ""))
            elif DATA.fullmatch(node.value):
                self.data.append(node.value)

    def _written(self, node: Any) -> Iterator[str]:
        if isinstance(node, list):
            for each in node:
                if not (isinstance(each, ast.AST) and self._is_silent(each)):
                    yield from self._written(each)
                    yield ","
        elif isinstance(node, str):  # which may name a module in a command or a remedy
            yield repr(MODULE.sub(lambda name: self._or_module(name[0]), node))
        elif not isinstance(node, ast.AST):
            yield repr(node)
        elif self._is_module(node):
            yield "module"
        else:
            yield f"{type(node).__name__}("
            for name, value in ast.iter_fields(node):
                if name not in SILENT and value not in (None, []):
                    yield f"{name}="
                    yield from self._written(value)
            yield ")"

    def _or_module(self, name: str) -> str:
        return "module" if name in self._modules else name

    def _is_module(self, node: ast.AST) -> bool:
        match node:
            case ast.Name(id=name):
                return name in self._bound
            case ast.Attribute():
                return ast.unparse(node) in self._modules
        return False

    def _is_silent(self, node: ast.AST) -> bool:
        """Whether it is a docstring, an import of ours, or what only a type checker looks at."""
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                return True
            case ast.Import(names=[ast.alias(name=name)]) | ast.ImportFrom(module=str(name)):
                return name.split(".")[0] in OURS
        return _is_for_type_checking(node)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes, but for what stands under `if TYPE_CHECKING:`."""
    yield node
    within: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and _is_for_type_checking(node):
        within = node.orelse
    for child in within:
        yield from _running(child)


def _is_for_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
