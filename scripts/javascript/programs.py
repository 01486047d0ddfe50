"""Programs that a reader can change: an example of snippets/examples as a function of its fields.

A field is a number, or the imported name of a card, a model or a format. `program(name)` has an example's
fields in the order of its text, and the module that runs it: `run(fields)` returns the lines that it prints,
`loads` reads a number, `$Dict` is what an `entry` wants. What has no translation (NumPy) is no such program.
scripts/javascript/assets.py writes modules and entries, scripts/site/changeable.py marks the fields on pages.
"""

import ast
import dataclasses
import functools
import json
from typing import Any

from scripts.core.faults import BadInput
from scripts.javascript.bundle import BUILT, Bundle
from scripts.javascript.expressions import number
from scripts.javascript.scope import Scope, assigned
from scripts.javascript.statements import block
from scripts.javascript.translated_sources import ROOT, check_pure, read_source
from snippets import formats, hardware, models, weight_formats

EXAMPLES = "snippets/examples"
ENTRIES: dict[str, dict[str, Any]] = {  # by module: what a name that is imported from it may become
    module.__name__: {
        name: value
        for name, value in vars(module).items()
        if type(value) in kinds and name[0] != "_"
    }
    for module, kinds in (
        (hardware, (hardware.Accelerator,)),
        (models, (models.Model,)),
        (weight_formats, (weight_formats.WeightFormat,)),
        (formats, (formats.FloatFormat, formats.IntegerFormat)),
    )
}


@dataclasses.dataclass(frozen=True)
class Field:
    """A place in a program's text: where it starts, what it says, and the module of an entry's name."""

    line: int
    column: int
    text: str
    module: str = ""


@dataclasses.dataclass(frozen=True)
class Program:
    """An example that can be changed: its text, its fields, and its module of JavaScript."""

    text: str
    fields: list[Field]
    module: str


@functools.cache
def programs() -> dict[str, Program]:
    """All examples that can be changed, by name."""
    found = {}
    for path in sorted((ROOT / EXAMPLES).glob("[a-z]*.py")):
        try:
            found[path.stem] = program(path.stem)
        except BadInput:
            continue  # it needs NumPy, or torch
    return found


def program(name: str) -> Program:
    """An example as one that can be changed. Raises BadInput for what has no translation."""
    text = (ROOT / EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    source = read_source(f"{EXAMPLES.replace('/', '.')}.{name}")
    check_pure(source)
    marked = _Marked(text)
    body = _Plain().visit(marked.visit(ast.parse(text))).body
    body = [each for each in body if not isinstance(each, ast.Import | ast.ImportFrom)]
    names = [each.text if each.module else f"$f{at}" for at, each in enumerate(marked.fields)]
    made = Bundle()
    own = frozenset({*names, *assigned(body), "$out"})
    scope = Scope(source, own, made.reach, made.helpers)
    made.helpers |= {"loads", "$Dict"}
    written = block(body, scope)
    fresh = ", ".join(["$out = []", *assigned(body)])
    run = f"const run = ([{', '.join(names)}]) => {{ let {fresh}; {written} return $out; }};"
    return Program(text, marked.fields, made.written_out([run], "run, loads, $Dict"))


class _Marked(ast.NodeTransformer):
    """Puts a name in the place of each number outside of texts, and notes all fields in their order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.fields: list[Field] = []

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) not in (int, float):
            return node
        said = str(ast.get_source_segment(self.text, node))
        self.fields.append(Field(node.lineno, node.col_offset, said))
        return ast.copy_location(ast.Name(f"$f{len(self.fields) - 1}", ast.Load()), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        known = ENTRIES.get(node.module or "", {})
        self.fields += [
            Field(each.lineno, each.col_offset, each.name, str(node.module))
            for each in node.names
            if each.name in known
        ]
        return node


class _Plain(ast.NodeTransformer):
    """Says with what is translated what examples say otherwise: print, functools.partial, **keywords."""

    def __init__(self) -> None:
        self.partial: dict[str, ast.Call] = {}
        self.dicts: dict[str, ast.Dict] = {}

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        call, target = node.value, node.targets[0]
        if isinstance(call, ast.Dict):
            self.dicts[ast.unparse(target)] = call
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "partial":
            self.partial[ast.unparse(target)] = call
            return None
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = ast.unparse(node.func)
        node.keywords = [each for keyword in node.keywords for each in self._named(keyword)]
        if called in self.partial:
            held = self.partial[called]
            arguments = [*held.args[1:], *node.args]
            keywords = [*held.keywords, *node.keywords]
            return ast.copy_location(ast.Call(held.args[0], arguments, keywords), node)
        if called != "print" or node.keywords:
            return node
        parts: list[ast.expr] = []
        for each in node.args:
            parts += [ast.Constant(" ")] if parts else []
            # A text within a text would become a template within a template, which rjsmin cannot read.
            parts += (
                each.values if isinstance(each, ast.JoinedStr) else [ast.FormattedValue(each, -1)]
            )
        line = ast.JoinedStr(parts)
        append = ast.Attribute(ast.Name("$out", ast.Load()), "append", ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Call(append, [line], []), node))

    def _named(self, keyword: ast.keyword) -> list[ast.keyword]:
        """A keyword; for **name, those of the dict that was given that name."""
        held = self.dicts.get(ast.unparse(keyword.value)) if keyword.arg is None else None
        if held is None:
            return [keyword]
        pairs = zip(held.keys, held.values, strict=True)
        return [ast.keyword(str(ast.literal_eval(key)), value) for key, value in pairs if key]


def entry(value: Any) -> str:
    """A module whose default export makes an entry of a registry, of a program's own `$Dict`."""
    return f"{BUILT}export default ($Dict) => ({plain(value)});\n"


def plain(value: Any) -> str:
    """A value as JavaScript without classes: a dataclass is an object of its fields but `sources`."""
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(plain, value))}]"
    if isinstance(value, dict):
        pairs = (f"[{plain(key)}, {plain(each)}]" for key, each in value.items())
        return f"new $Dict([{', '.join(pairs)}])"
    held = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    held.pop("sources", None)
    return "{" + ", ".join(f"{name}: {plain(each)}" for name, each in held.items()) + "}"
