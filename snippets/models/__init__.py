"""The models that the handbook knows: a file of docs/data/models/ each, by slug and as objects.

A file holds a model's published configuration, and where it was read: `llama-3.1-8b.json` is
`MODELS["llama-3.1-8b"]` and `snippets.models.llama_3_1_8b`.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from snippets.models.decoder import SHAPE_KEYS
from snippets.models.families import FAMILIES
from snippets.models.model import Layer, Model, Tensor, layer_counts, layer_of
from snippets.models.reader import TEXT_MODELS, model_from_config
from snippets.sources import Source

FOLDER = Path(__file__).resolve().parents[2] / "docs/data/models"


def _in_order(file: Path) -> list[Any]:
    """Numbers in names count as numbers: 7b before 13b."""
    return [
        (not part.isdigit(), int(part) if part.isdigit() else part)
        for part in re.split(r"(\d+)", file.stem)
        if part
    ]


def _sources(entry: dict[str, Any], model: Model) -> dict[str, Source]:
    """Each figure's key in the configuration, in the repository that it was read in.

    What others say of a configuration that is out of reach stands beside it, with their figures.
    """
    config, read = entry["config"], entry["read"]
    config = config.get("text_config", config)
    url = f"https://huggingface.co/{entry['repository']}/blob/main/config.json"
    if read:
        url = _address(read)
    return {
        name: Source(
            f"{entry['repository']}: config.json",
            next((key for key in keys if key in config), f"{keys[0]}, as its model class takes it"),
            url,
            read["date"] if read else "",
            value=getattr(model, name),
            others=tuple(
                Source(
                    place["repository"],
                    f"{place['entry']}: {name} {place['figures'][name]}",
                    _address(place),
                    place["date"],
                    quoted=True,
                    value=place["figures"][name],
                )
                for place in entry.get("quoted", ())
                if name in place["figures"]
            ),
        )
        for name, keys in SHAPE_KEYS.items()
    }


def _address(place: dict[str, str]) -> str:
    """Where a file of a repository stands, at its commit."""
    return f"https://github.com/{place['repository']}/blob/{place['commit']}/{place['path']}"


def _model(entry: dict[str, Any]) -> Model:
    model = model_from_config(entry["config"], name=entry["name"])
    return replace(model, sources=_sources(entry, model))


_ENTRIES = {
    file.stem: json.loads(file.read_text(encoding="utf-8"))
    for file in sorted(FOLDER.glob("*.json"), key=_in_order)
}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    slug: {"name": entry["name"], "config": entry["config"]} for slug, entry in _ENTRIES.items()
}
# What a model_type may be, and the type of what reads text in it.
MODEL_TYPES: dict[str, str] = {kind: kind for kind in FAMILIES} | TEXT_MODELS
MODELS: dict[str, Model] = {slug: _model(entry) for slug, entry in _ENTRIES.items()}
globals().update({re.sub(r"\W", "_", slug): model for slug, model in MODELS.items()})


def __getattr__(name: str) -> Model:
    """For type checkers: every model is an attribute of this module."""
    raise AttributeError(f"no model is called {name}: docs/data/models/ holds {', '.join(MODELS)}")


__all__ = [
    "CONFIGURATIONS",
    "MODELS",
    "MODEL_TYPES",
    "Layer",
    "Model",
    "Tensor",
    "layer_counts",
    "layer_of",
    "model_from_config",
]
