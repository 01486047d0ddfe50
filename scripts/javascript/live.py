"""Live numbers: each expression of a live passage as a function of the reader's card and model.

`python -m scripts.javascript.live` reads a JSON object, name to expression, and writes the module.
"""

import ast
import json
import sys
from collections.abc import Mapping

from scripts.faults import BadInput
from scripts.javascript.bundle import Expression, bundle
from snippets import hardware, models

ENTRIES = {"Accelerator": "snippets.hardware.Accelerator", "Model": "snippets.models.Model"}
RUNTIME = ("$keywords", "loads")

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

    What the card has no figure for is null.
    """
    made = {}
    for name, text in expressions.items():
        card, model = assumed(text)
        made[name] = Expression(_guarded(text, card), (card or "$card", model or "$model"))
    return bundle(ENTRIES, also=RUNTIME, expressions=made)


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
        print(live_module(json.load(sys.stdin)), end="")
    except BadInput as error:
        print(error.fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
