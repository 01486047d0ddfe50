"""Live numbers: each page's expressions as functions of the reader's card and model, in one module.

What a page loads holds no more than it needs: the functions that its expressions reach, without the
texts of their refusals, and of the registries the figures that those functions read.

`python -m scripts.javascript.live` reads a JSON object of such objects, module to name to expression,
and writes one of module to text.
"""

import ast
import dataclasses
import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from scripts.core.faults import BadInput
from scripts.javascript.bundle import Expression, bundle
from scripts.javascript.expressions import number
from snippets import hardware, models

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
    What the card has no figure for is null.
    """
    made = {}
    for name, text in expressions.items():
        card, model = assumed(text)
        made[name] = Expression(_guarded(text, card), (card or "$card", model or "$model"))
    text = bundle({}, expressions=made, refusals=False)
    read = set(re.findall(r"\.(\w+)", text))
    return text + "".join(
        [
            "const $entry = (columns) => (at) =>\n"
            "Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[at]]));\n",
            f"export const card = $entry({_columns(hardware.ACCELERATORS.values(), read)});\n",
            f"export const model = $entry({_columns(models.MODELS.values(), read)});\n",
        ]
    )


def _columns(entries: Iterable[Any], names: set[str]) -> str:
    """The figures with some names, each a list over the entries."""
    held = list(entries)
    fields = [each.name for each in dataclasses.fields(held[0]) if each.name in names - {"name"}]
    columns = [f"{name}: [{','.join(_figure(getattr(e, name)) for e in held)}]" for name in fields]
    return "{" + ",\n".join(columns) + "}"


def _figure(value: Any) -> str:
    return json.dumps(value) if value is None or isinstance(value, bool | str) else number(value)


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
