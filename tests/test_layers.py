"""Arrows run one way: the layers in pyproject.toml hold, inside functions too, and name every room."""

import ast
import tomllib
from pathlib import Path

from importlinter import cli

ROOT = Path(__file__).parents[1]


def test_no_room_imports_one_above_it(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    assert cli.lint_imports(no_cache=True) == cli.EXIT_STATUS_SUCCESS


def test_every_room_has_its_layer() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = " | ".join(settings["contracts"][0]["layers"]).split(" | ")
    rooms = [path for path in (ROOT / "scripts").iterdir() if (path / "__init__.py").exists()]
    commands = [path for path in (ROOT / "scripts").glob("*.py") if path.stem != "__init__"]
    named = {f"scripts.{path.stem}" for path in [*rooms, *commands]} | {"snippets"}
    assert named == set(layers)


def test_labs_import_snippets_and_their_room_alone() -> None:
    for lab in (ROOT / "docs/labs").glob("*.py"):
        nodes = list(ast.walk(ast.parse(lab.read_text(encoding="utf-8"))))
        whole = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
        rooms = {
            ".".join(f"{node.module}.{each.name}".split(".")[:2])
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for each in node.names
        }
        assert {name for name in rooms | whole if name.startswith("scripts")} == {"scripts.labs"}, (
            lab
        )
