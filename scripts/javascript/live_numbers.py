"""Live numbers: each page's expressions as functions of the reader's card and model, in one module.

What a page loads holds no more than it needs: the functions that its expressions reach, without the
texts of their refusals, and of the registries the figures that those functions read.

`python -m scripts.javascript.live_numbers` reads a JSON object of such objects, module to name to expression,
and writes one of module to text.
"""

import ast
import dataclasses
import json
import math
import re
import sys
from collections.abc import Mapping
from typing import Any

from scripts.core.faults import BadInput
from scripts.javascript.bundle import Expression, bundle
from scripts.javascript.expressions import number
from scripts.javascript.translated_sources import public_places, value_of
from snippets import hardware, models
from snippets.formats import FP16
from snippets.model_parameters import total_parameters
from snippets.number_formats import weight_bytes

_SLUGS = {
    "card": {id(card): slug for slug, card in hardware.ACCELERATORS.items()},
    "model": {id(model): slug for slug, model in models.MODELS.items()},
}
# The name of each card and model in expressions, and its slug.
CARDS = {n: _SLUGS["card"][id(c)] for n, c in vars(hardware).items() if id(c) in _SLUGS["card"]}
MODELS = {n: _SLUGS["model"][id(m)] for n, m in vars(models).items() if id(m) in _SLUGS["model"]}
OPTIONAL = {name for name, value in vars(hardware.Accelerator).items() if value is None}


def assumed(expression: str) -> tuple[str, str]:
    """The names of the card and of the model that an expression names; "" for none.

    Raises ValueError where it names two, since a reader chooses one.
    """
    names = _names(expression)
    found = []
    for kind, known in (("card", CARDS), ("model", MODELS)):
        named = sorted(names & known.keys())
        if len(named) > 1:
            raise ValueError(f"{expression} names more than one {kind}: {', '.join(named)}")
        found.append(named[0] if named else "")
    return found[0], found[1]


def live_module(expressions: Mapping[str, str]) -> str:
    """A module that exports, by name, what computes each expression from a card and a model.

    It also exports both: `card(2)` is the figures of the third accelerator, in the registry's order.
    What the card has no figure for is null. What depends on the model alone was computed before and
    is a figure of the model; undefined is what Python refuses. Raises BadInput for an expression that
    has no translation, or that hands a model to a function together with a card. Beside them
    stand, in whole MB, a card's `usable` memory, which plans count with, and what a model's weights
    `take` in FP16.
    """
    made = {}
    computed: dict[str, str] = {}
    read = set()
    for name, text in expressions.items():
        card, model = assumed(text)
        read |= {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
        tree = _OfTheModel(card, model, computed).visit(ast.parse(text.strip(), mode="eval"))
        if model and _handed_on(tree, model):
            message = f"{text!r} hands {model} to a function that needs a card as well"
            raise BadInput("", 0, message, "hand that function figures of the model instead")
        parameters = (card or "$card", model or "$model")
        made[name] = Expression(_guarded(ast.unparse(tree), card), parameters)
    text = bundle({}, expressions=made, refusals=False)
    read |= set(re.findall(r"\.(\w+)", text))
    cards, known = list(hardware.ACCELERATORS.values()), list(models.MODELS.values())
    results = {
        column: [_result(expression, each) for each in known]
        for expression, column in computed.items()
    }
    usable = {"usable": [hardware.usable_memory(card) / 1e6 // 1 for card in cards]}
    taken = {
        "take": [weight_bytes(total_parameters(model), FP16.bytes) / 1e6 // 1 for model in known]
    }
    return text + "".join(
        [
            "const $entry = (columns) => (at) =>\n"
            "Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[at]]));\n",
            f"export const card = $entry({_columns(_figures(cards, read) | usable)});\n",
            f"export const model = $entry({_columns(_figures(known, read) | results | taken)});\n",
        ]
    )


def _handed_on(tree: ast.AST, model: str) -> bool:
    """Whether a whole model is left: what a page has of one is figures, not its layers."""
    asked = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    return any(
        isinstance(node, ast.Name) and node.id == model and id(node) not in asked
        for node in ast.walk(tree)
    )


class _OfTheModel(ast.NodeTransformer):
    """Puts a figure of the model in the place of what depends on it and on no card."""

    def __init__(self, card: str, model: str, computed: dict[str, str]) -> None:
        self.card, self.model, self.computed = card, model, computed

    def visit(self, node: ast.AST) -> Any:
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        whole = isinstance(node, ast.expr) and not isinstance(node, ast.Name)
        if not whole or self.model not in names or self.card in names:
            return self.generic_visit(node)
        text = re.sub(rf"\b{self.model}\b", "$model", ast.unparse(node))
        column = self.computed.setdefault(text, f"c{len(self.computed)}")
        return ast.Attribute(ast.Name(self.model, ast.Load()), column, ast.Load())


def _result(expression: str, model: Any) -> Any:
    """What an expression gives for a model; "undefined" where Python refuses it."""
    tree = ast.parse(expression.replace("$model", "_model"), mode="eval")
    named = {name: value_of(place) for name, place in public_places().items()}
    try:
        return eval(compile(tree, expression, "eval"), named | vars(math) | {"_model": model})
    except (ValueError, ArithmeticError):
        return "undefined"


def _figures(entries: list[Any], names: set[str]) -> dict[str, list[Any]]:
    """The fields with some names that are numbers and words, each a list over the entries."""
    fields = [each.name for each in dataclasses.fields(entries[0])]
    held = {name: [getattr(entry, name) for entry in entries] for name in fields if name in names}
    plain = int | float | str | bool | None
    return {
        name: values
        for name, values in held.items()
        if name != "name" and all(isinstance(value, plain) for value in values)
    }


def _columns(figures: dict[str, list[Any]]) -> str:
    columns = (f"{name}: [{','.join(map(_figure, held))}]" for name, held in figures.items())
    return "{" + ",\n".join(columns) + "}"


def _figure(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return value if isinstance(value, str) else number(value)


def _guarded(expression: str, card: str) -> str:
    """The expression, None where a figure of the card that it asks for is not published."""
    asked = {
        node.attr
        for node in ast.walk(ast.parse(expression, mode="eval"))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == card
    }
    missing = " or ".join(f"{card}.{field} is None" for field in sorted(asked & OPTIONAL))
    return f"None if {missing} else {expression}" if missing else expression


def _names(expression: str) -> set[str]:
    tree = ast.parse(expression.strip(), mode="eval")
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def main() -> int:
    """From stdin to stdout; 1 where something has no translation."""
    try:
        print(json.dumps({name: live_module(all_) for name, all_ in json.load(sys.stdin).items()}))
    except BadInput as error:
        print(error.fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
