"""One ES module with what some entry points reach, and nothing else."""

import ast
import dataclasses
import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from scripts.core.faults import BadInput
from scripts.javascript import statements
from scripts.javascript.expressions import number, translate
from scripts.javascript.scope import Scope, local_name
from scripts.javascript.translated_sources import (
    ROOT,
    Place,
    Source,
    check_pure,
    public_places,
    read_source,
    refuse,
    resolve,
    value_of,
)

RUNTIME = ROOT / "scripts/javascript/runtime.js"
MARK = re.compile("\0([^\0:]+):([^\0]+)\0")
HELPER = re.compile(r"(?<![\w$.])(\$?[A-Za-z]\w*)")
DEFINES = re.compile(r"^export (?:const|class) (\$?\w+)", re.MULTILINE)
BUILT = "/* Translated from the handbook's Python by scripts/javascript. Do not edit. */\n"


def entry(dotted: str) -> Place:
    """`snippets.bandwidth.decode_ceiling` as a place; BadInput where there is none such."""
    module, _, name = dotted.rpartition(".")
    found = resolve(module, name)
    if found is None:
        raise BadInput(dotted, 0, "is not defined", "name a module and what it defines")
    return found


@dataclasses.dataclass(frozen=True)
class Expression:
    """A number's `#calc`, and which of its names a reader's choice stands for."""

    text: str
    parameters: tuple[str, ...] = ()


class PublicScope(Scope):
    """The names that an expression may use: all public ones of the translated snippets."""

    def place(self, node: ast.expr) -> Place | None:
        """What a name stands for outside of the expression; its snippet imports it."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            return self.source.imports.get(node.id)
        return None


class Bundle:
    """Translates entry points and all that they reach; without `refusals`, errors have no text."""

    def __init__(self, *, refusals: bool = True) -> None:
        self.refusals = refusals
        self.written: dict[Place, str] = {}
        self.reaching: set[Place] = set()
        self.helpers: set[str] = set()

    def reach(self, place: Place) -> str:
        """Translate a global name once; the mark that stands for it until all names are known."""
        if place not in self.reaching:
            self.reaching.add(place)
            self.written[place] = self._definition(place)
        return f"\0{place.module}:{place.name}\0"

    def expression(self, wanted: Expression) -> str:
        """A function of an expression's parameters that computes it."""
        source = Source(
            "snippets", wanted.text, ast.Module([], []), {}, public_places(), frozenset()
        )
        scope = PublicScope(
            source, frozenset(wanted.parameters), self.reach, self.helpers, self.refusals
        )
        body = translate(ast.parse(wanted.text.strip(), mode="eval").body, scope)
        return f"({', '.join(wanted.parameters)}) => {body}"

    def _definition(self, place: Place) -> str:
        source = read_source(place.module)
        check_pure(source)
        node = source.definitions.get(place.name)
        scope = Scope(source, frozenset(), self.reach, self.helpers, self.refusals)
        name = f"\0{place.module}:{place.name}\0"
        if isinstance(node, ast.FunctionDef):
            if node.decorator_list:
                raise refuse(source, node, "a decorated function", "call what it needs inside it")
            star = "*" if statements.is_generator(node) else ""
            return f"function{star} {name}{statements.function(node, scope)}"
        if isinstance(node, ast.ClassDef):
            literal = functools.partial(self.literal, place)
            return statements.dataclass(name, node, place, source, scope, literal)
        return f"const {name} = {self.literal(place, value_of(place))};"

    def literal(self, place: Place, value: Any) -> str:
        """A value that Python computed, as JavaScript; registry entries without their sources."""
        if value is None or isinstance(value, bool | str):
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, int | float):
            return number(value)
        if isinstance(value, list | tuple):
            return f"[{', '.join(self.literal(place, each) for each in value)}]"
        if isinstance(value, dict):
            self.helpers.add("$Dict")
            pairs = ((self.literal(place, k), self.literal(place, v)) for k, v in value.items())
            return f"new $Dict([{', '.join(f'[{k}, {v}]' for k, v in pairs)}])"
        where = Place(getattr(value, "__module__", ""), getattr(value, "__qualname__", ""))
        if callable(value) and where.name.isidentifier():
            return self.reach(where)
        if dataclasses.is_dataclass(value):
            own = self._entry(place, value)
            if own is not None:
                return self.reach(own)
            return self._instance(place, value)
        source = read_source(place.module)
        raise refuse(source, source.definitions[place.name], f"{value!r:.60}", "keep to plain data")

    def _entry(self, place: Place, value: Any) -> Place | None:
        """The global name of a registry entry that another value holds."""
        for module in (type(value).__module__, place.module):
            for name, held in vars(read_source(module).values).items():
                if held is value and (found := resolve(module, name)) and found != place:
                    return found
        return None

    def _instance(self, place: Place, value: Any) -> str:
        made = type(value)
        pairs = []
        for each in dataclasses.fields(made):
            held = getattr(value, each.name)
            if each.name != "sources" and held is not each.default:
                pairs.append(f"{each.name}: {self.literal(place, held)}")
        return f"new {self.reach(Place(made.__module__, made.__name__))}({{ {', '.join(pairs)} }})"

    def module(
        self,
        exports: Mapping[str, Place],
        expressions: Mapping[str, Expression],
        also: Iterable[str],
    ) -> str:
        """The whole module, see `bundle`."""
        for place in exports.values():
            self.reach(place)
        lines = {name: self.expression(each) for name, each in expressions.items()}
        lines_of = [f"const {name} = {text};" for name, text in lines.items()]
        names = _names(self.written)
        listed = [
            given if names[place] == given else f"{names[place]} as {given}"
            for given, place in exports.items()
        ]
        return self.written_out(lines_of, ", ".join([*listed, *lines, *also]))

    def written_out(self, lines: Iterable[str], exported: str) -> str:
        """The module: what was reached, lines that stand for themselves, and its exports."""
        names = _names(self.written)
        body = [_final(text, names) for text in self.written.values()]
        # A function may be used before it is defined; a class or a constant may not.
        body.sort(key=lambda text: not text.startswith("function"))
        body += [_final(line, names) for line in lines]
        return f"{BUILT}{runtime(self.helpers)}{chr(10).join(body)}\nexport {{ {exported} }};\n"


def _final(text: str, names: Mapping[Place, str]) -> str:
    """A definition with the names that its marks stand for."""
    return MARK.sub(lambda mark: names[Place(mark[1], mark[2])], text)


def _names(places: Iterable[Place]) -> dict[Place, str]:
    """A name for each place: its own, with its module's before it where two have the same."""
    several = Counter(place.name for place in places)
    return {
        place: local_name(place.name)
        if several[place.name] == 1
        else f"{place.module.rpartition('.')[2]}_{place.name}"
        for place in places
    }


@functools.cache
def runtime_blocks() -> dict[str, str]:
    """Each definition of runtime.js by its name."""
    text = RUNTIME.read_text(encoding="utf-8")
    starts = [(match.start(), match[1]) for match in DEFINES.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {
        name: re.sub(r"^//.*\n", "", text[start:end], flags=re.MULTILINE).strip()
        for (start, name), end in zip(starts, ends, strict=True)
    }


def runtime(names: Iterable[str]) -> str:
    """The part of the runtime that some of its names need, in its order."""
    blocks = runtime_blocks()
    needed: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in blocks and name not in needed:
            needed.add(name)
            queue += HELPER.findall(blocks[name])
    return "".join(
        squeeze(text.replace("export ", "", 1)) + "\n"
        for name, text in blocks.items()
        if name in needed
    )


def squeeze(text: str) -> str:
    """Without indentation: nothing in the runtime's text depends on it."""
    return re.sub(r"\n\s*", "\n", text)


def bundle(
    entries: Mapping[str, str],
    *,
    also: Iterable[str] = (),
    expressions: Mapping[str, Expression] | None = None,
    refusals: bool = True,
) -> str:
    """A module whose exports are entry points: each name, and the dotted name of what it stands for.

    `also` names what is exported of the runtime: its errors, `loads` and `dumps`. `expressions` are
    exported as functions that compute them. Without `refusals`, errors are thrown without their text.
    """
    made = Bundle(refusals=refusals)
    made.helpers |= set(also)
    places = {name: entry(dotted) for name, dotted in entries.items()}
    return made.module(places, expressions or {}, also)
