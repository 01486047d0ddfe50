"""What transformers' model classes take where a configuration is silent.

`python -m tests.models.class_defaults` writes snippets/models/defaults.json; a test holds it to the
transformers that is installed. Only keys that the reader asks for are kept.
"""

import ast
import dataclasses
import json
from pathlib import Path
from typing import Any

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from snippets import models
from snippets.models.families import FAMILIES

READER = Path(models.__file__).parent


def keys_asked() -> set[str]:
    """Every text in the reader's code: the keys that it may ask for, and some words more."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in READER.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {node.value for node in nodes if isinstance(node.value, str)}


def class_defaults() -> dict[str, dict[str, Any]]:
    """Of each model type that transformers knows: what it takes for the keys that are asked."""
    asked = keys_asked()
    return {
        kind: {
            field.name: field.default
            for field in dataclasses.fields(CONFIG_MAPPING[kind])
            if field.name in asked and isinstance(field.default, int | float | str | list)
        }
        for kind in sorted(FAMILIES)
        if kind in CONFIG_MAPPING
    }


def as_text(defaults: dict[str, dict[str, Any]]) -> str:
    """A line for each type."""
    lines = [f"  {json.dumps(kind)}: {json.dumps(held)}" for kind, held in defaults.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    text = as_text(class_defaults())
    (READER / "defaults.json").write_text(text, encoding="utf-8")
