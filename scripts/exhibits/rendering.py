"""Tables and figures as files, made again only where what they are made of has changed.

The check of the book calls `render` with its evaluator. What was rendered is kept as committed, under
keys in `docs/tables/keys.json`: a fresh clone draws nothing. A key that is stale is no fault, only
slow; a file that is not what was rendered under its key is rendered again.
"""

import hashlib
import importlib.metadata
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from scripts import exhibits
from scripts.core.cache import source_digest, tree_digest
from scripts.exhibits import Files
from scripts.tables.data import Teller
from scripts.tables.table import Values

KEYS = "tables/keys.json"
LIBRARIES = ("matplotlib", "numpy")


def render(root: Path, values: Values, told: Teller) -> Files:
    """All published tables and figures, and the keys to them, by path under docs/.

    Raises BadInput when a record lacks a value that is shown.
    """
    kept = _Kept(root)
    records = values.published.values()
    code = [tree_digest(root, ("snippets", *_data(root)))]
    code += [_code(root, module.__file__) for _, module in exhibits.modules("tables")]
    made = kept.files(
        "tables", [*code, *(r.digest for r in records)], lambda: exhibits.tables(values, told)
    )
    versions = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    for experiment, module in exhibits.modules("figures"):
        own = [record for record in records if record.experiment == experiment]
        if own or not experiment:
            parts = [_code(root, module.__file__), *versions, *(r.digest for r in own)]
            name = module.__name__.removeprefix("scripts.")
            made |= kept.files(name, parts, lambda m=module, r=own: exhibits.drawn(m, r))
    return made | {KEYS: kept.keys()}


def _data(root: Path) -> list[str]:
    """What expressions read beside records."""
    apart = ("records", "tables", "embedded")
    return sorted(
        f"docs/data/{f.name}" for f in (root / "docs/data").iterdir() if f.name not in apart
    )


def _code(root: Path, file: str | None) -> str:
    assert file is not None
    return source_digest(Path(file).read_text(encoding="utf-8"), root)


class _Kept:
    """What was rendered before: for each group of files the key to it, and their digests."""

    def __init__(self, root: Path) -> None:
        self._docs = root / "docs"
        try:
            self._known = json.loads((self._docs / KEYS).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # absent or damaged: rendered afresh
            self._known = {}
        self._now: dict[str, dict[str, str]] = {}

    def files(self, group: str, parts: Iterable[str], make: Callable[[], Files]) -> Files:
        """The files of a group: read where its parts are as they were, else made."""
        key = _digest("\n".join(parts).encode())
        known = dict(self._known.get(group, {}))
        if known.pop("key", "") == key and all(self._is(p, d) for p, d in known.items()):
            made = {path: (self._docs / path).read_bytes() for path in known}
        else:
            made = make()
        self._now[group] = {"key": key} | {path: _digest(data) for path, data in made.items()}
        return made

    def keys(self) -> bytes:
        """The keys to what is rendered now, a group a line."""
        lines = (f" {json.dumps(group)}: {json.dumps(f)}" for group, f in self._now.items())
        return ("{\n" + ",\n".join(lines) + "\n}\n").encode()

    def _is(self, path: str, digest: str) -> bool:
        file = self._docs / path
        return file.is_file() and _digest(file.read_bytes()) == digest


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
