"""`build.py` opens one Cache for each run and hands it to whatever keeps results between runs.

With a store's name and a key (see `freshness`) it gives back the JSON value kept under it, or None.
Deleting `.cache/` is always safe.
"""

import json
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
