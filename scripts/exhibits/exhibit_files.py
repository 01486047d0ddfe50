"""Tables and figures as files, made again only where what they are made of has changed.

The check of the book calls `render` with its evaluator. What was rendered is kept as committed, under
keys in `docs/tables/keys.jsonl`: a fresh clone draws nothing. A key that is stale is no fault, only
slow; a file that is not what was rendered under its key is rendered again.
"""

import contextlib
import hashlib
import importlib.metadata
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from scripts import exhibits
from scripts.core.cache import Cache
from scripts.core.freshness import Modules, files_digest, key
from scripts.exhibits import Files
from scripts.tables.data import Teller
from scripts.tables.table import Values

KEYS = "tables/keys.jsonl"
LIBRARIES = ("matplotlib", "numpy")


def render(root: Path, cache: Cache, values: Values, told: Teller) -> Files:
    """All published tables and figures, and the keys to them, by path under docs/.

    Raises BadInput when a record lacks a value that is shown.
    """
    kept, code = _Kept(root), Modules(root, cache)
    records = values.published.values()
    stamp = key(
        code=code.digest(*(module.__name__ for _, module in exhibits.modules("tables"))),
        named=files_digest(root, ("snippets", *_data(root))),  # by expressions
        records=[record.digest for record in records],
    )
    made = kept.files("tables", stamp, lambda: exhibits.tables(values, told))
    libraries = {name: importlib.metadata.version(name) for name in LIBRARIES}
    for experiment, module in exhibits.modules("figures"):
        own = [record for record in records if record.experiment == experiment]
        if own or not experiment:
            name = module.__name__
            digests = [record.digest for record in own]
            stamp = key(code=code.digest(name), libraries=libraries, records=digests)
            draw = partial(exhibits.drawn, module, own)
            made |= kept.files(name.removeprefix("scripts."), stamp, draw)
    return made | {KEYS: kept.keys()}


def _data(root: Path) -> list[str]:
    """What expressions read beside records."""
    apart = ("records", "tables", "embedded")
    return sorted(
        f"docs/data/{f.name}" for f in (root / "docs/data").iterdir() if f.name not in apart
    )


class _Kept:
    """What was rendered before: for each group of files the key to it, and their digests."""

    def __init__(self, root: Path) -> None:
        self._docs = root / "docs"
        self._known: dict[str, dict[str, Any]] = {}
        self._now: list[dict[str, Any]] = []
        with contextlib.suppress(OSError, ValueError, KeyError):  # then rendered afresh
            for line in (self._docs / KEYS).read_text(encoding="utf-8").splitlines():
                group = json.loads(line)
                self._known[group["group"]] = group

    def files(self, group: str, stamp: str, make: Callable[[], Files]) -> Files:
        """The files of a group: read where its key is as it was, else made."""
        known = self._known.get(group, {"key": "", "files": {}})
        if known["key"] == stamp and all(self._is(*each) for each in known["files"].items()):
            made = {path: (self._docs / path).read_bytes() for path in known["files"]}
        else:
            made = make()
        digests = {path: _digest(data) for path, data in made.items()}
        self._now.append({"group": group, "key": stamp, "files": digests})
        return made

    def keys(self) -> bytes:
        """The keys to what is rendered now, a group a line, so that two edits of it merge."""
        return "".join(json.dumps(group) + "\n" for group in self._now).encode()

    def _is(self, path: str, digest: str) -> bool:
        file = self._docs / path
        return file.is_file() and _digest(file.read_bytes()) == digest


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
