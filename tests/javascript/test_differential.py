"""Every public function, in Python and translated, on thousands of random inputs each."""

import ast
import functools
import inspect
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.javascript.bundle import bundle
from scripts.javascript.translated_sources import read_source, translated_modules
from tests.javascript import draw
from tests.javascript.engine import Wire

SEED = 16
KINDS = {
    "AttributeError": "TypeError",
    "IndexError": "LookupError",
    "KeyError": "LookupError",
}


def functions() -> dict[str, Callable[..., Any]]:
    return {
        f"{module}.{name}": getattr(read_source(module).values, name)
        for module in translated_modules()
        for name, node in read_source(module).definitions.items()
        if isinstance(node, ast.FunctionDef) and not name.startswith("_")
        if not module.startswith("snippets.models.")  # these build registry entries, at import
    }


def classes() -> list[str]:
    return [
        f"{module}.{name}"
        for module in translated_modules()
        for name, node in read_source(module).definitions.items()
        if type(node).__name__ == "ClassDef" and module not in ("snippets.sources",)
    ]


@functools.cache
def places(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """The parameters that are passed by place, and those by name alone."""
    parameters = inspect.signature(function).parameters
    plain = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    return plain, [name for name in draw.parameters(function) if name not in plain]


def one_case(wire: Wire, function: Callable[..., Any], drawing: random.Random) -> bool:
    """Send a case; whether Python gave a value."""
    arguments, wrong_type = draw.arguments(drawing, function)
    plain, only_named = places(function)
    message: dict[str, Any] = {
        "function": function.__name__,
        "positional": [wire.encode(arguments[name]) for name in plain],
        "keywords": {name: wire.encode(arguments[name]) for name in only_named},
    }
    try:
        value = function(**arguments)
    except Exception as error:
        kind = type(error).__name__
        message["refusal"] = [KINDS.get(kind, kind), str(error)]
    else:
        if wrong_type or isinstance(value, complex):
            return False
        message["value"] = wire.encode(value)
    wire.send(message)
    return "value" in message


@pytest.mark.timeout(2400)
@pytest.mark.parametrize("inputs", [300, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_javascript_computes_what_python_computes(tmp_path: Path, inputs: int) -> None:
    tested = functions()
    module = tmp_path / "snippets.mjs"
    text = bundle({each.rpartition(".")[2]: each for each in (*tested, *classes())}, also=["$Dict"])
    module.write_text(text, encoding="utf-8")
    wire = Wire(module)
    for each in (
        *draw.small_models(),
        *draw.WEIGHT_FORMATS.values(),
        *draw.FLOAT_FORMATS.values(),
        *draw.ACCELERATORS.values(),
        *draw.TRAINING_STATES.values(),
        *draw.runtimes(),
        *draw.clusters(),
    ):
        wire.share(each)
    for name, function in tested.items():
        drawing = random.Random(f"{SEED} {name}")
        compared = tries = 0
        while compared < inputs and tries < 2 * inputs:
            compared += one_case(wire, function, drawing)
            tries += 1
    results = wire.results()
    differ = [line for result in results.values() for line in result["differ"]]
    assert not differ, "\n".join(differ[:20])
    assert results.keys() == {name.rpartition(".")[2] for name in tested}
    few = {name: result for name, result in results.items() if result["compared"] < inputs}
    assert not few
    refused = {name for name, result in results.items() if result["refused"]}
    assert len(refused) > len(results) * 0.8
