"""The registries as data, and each part of an answer with the lines of Python that compute it."""

import ast
import dataclasses
import json
import pkgutil
from typing import Any

from scripts.javascript.translated_sources import read_source
from snippets import models
from snippets.hardware import ACCELERATORS
from snippets.models import CONFIGURATIONS

PARTS = {
    "inference": ("snippets.inference_plan", "_held_by_stage"),
    "training": ("snippets.stage_memory", "_held_by_stage"),
}


def registries() -> str:
    """Models' configurations, accelerators and formulas in JSON; figures that have their default are
    left out.
    """
    held = {
        "models": {
            slug: {"name": entry["name"], "config": read_keys(entry["config"], words())}
            for slug, entry in CONFIGURATIONS.items()
        },
        "accelerators": {slug: figures(card) for slug, card in ACCELERATORS.items()},
        "formulas": {kind: formulas(*place) for kind, place in PARTS.items()},
    }
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


def words() -> set[str]:
    """Every text in the reader of configurations: the keys that it asks for are among them."""
    names = [module.name for module in pkgutil.iter_modules(models.__path__, "snippets.models.")]
    nodes = [node for name in names for node in ast.walk(read_source(name).tree)]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str)}


def read_keys(config: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """What the reader may read of a configuration; a quantization's groups have names of their own."""
    whole = ("quantization_config",)
    return {
        key: read_keys(value, known) if isinstance(value, dict) and key not in whole else value
        for key, value in config.items()
        if key in known
    }


def figures(entry: Any) -> dict[str, Any]:
    """What an entry of a registry says, without its sources and what is as by default."""
    return {
        each.name: value
        for each in dataclasses.fields(entry)
        if each.name != "sources" and (value := getattr(entry, each.name)) != each.default
    }


def formulas(module: str, function: str) -> dict[str, str]:
    """Each field of what a function returns: its expression, and before it what that needs."""
    source = read_source(module)
    definition = source.definitions[function]
    assert isinstance(definition, ast.FunctionDef)
    last = definition.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Call)
    found = {}
    for keyword in last.value.keywords:
        name, written = str(keyword.arg), ast.unparse(keyword.value)
        line = [f"{name} = {written}"] if name != written else []
        found[name] = "\n".join([*_needed(keyword.value, definition), *line])
    return found


def _needed(expression: ast.expr, definition: ast.FunctionDef) -> list[str]:
    """The statements before the return that bear on an expression, in their order."""
    wanted = _names(expression)
    kept: list[str] = []
    for statement in reversed(definition.body[:-1]):
        targets = {
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        if targets & wanted:
            wanted |= _names(statement)
            kept.append(ast.unparse(statement))
    return kept[::-1]


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
