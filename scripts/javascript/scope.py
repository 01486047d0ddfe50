"""What names of Python are called in JavaScript."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from scripts.javascript.translated_sources import Place, Source, refuse, resolve

RESERVED = re.compile(
    "arguments|await|case|catch|class|const|continue|debugger|default|delete|do|enum|eval|"
    "export|extends|finally|function|implements|import|in|instanceof|interface|let|new|"
    "package|private|protected|public|static|super|switch|this|throw|typeof|var|void|with"
)


def local_name(name: str) -> str:
    """A name out of the way of JavaScript's own words."""
    return f"{name}_" if RESERVED.fullmatch(name) else name


@dataclass
class Scope:
    """A function that is being translated: its locals, and what it asks of the rest."""

    source: Source
    locals: frozenset[str]
    reach: Callable[[Place], str]
    helpers: set[str] = field(default_factory=set)
    refusals: bool = True

    def within(self, names: Iterable[str]) -> "Scope":
        """The scope of a comprehension or lambda inside this one."""
        return replace(self, locals=self.locals | frozenset(names))

    def helper(self, name: str) -> str:
        """A name of runtime.js."""
        self.helpers.add(name)
        return name

    def place(self, node: ast.expr) -> Place | None:
        """What a name, or an attribute of a module, stands for outside of the function."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            return resolve(self.source.name, node.id)
        if isinstance(node, ast.Attribute):
            within = self.place(node.value)
            if within and not within.name and within.module != "math":
                return resolve(within.module, node.attr)
        return None

    def refuse(self, node: ast.AST, message: str, remedy: str) -> Exception:
        """The fault of a node that JavaScript cannot say, at its line, to be raised."""
        return refuse(self.source, node, message, remedy)


def bound(node: ast.expr) -> Iterator[str]:
    """The names that an assignment's target binds."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Tuple | ast.List):
        for each in node.elts:
            yield from bound(each)


def assigned(body: list[ast.stmt]) -> dict[str, None]:
    """The names that a function's statements bind, in order; comprehensions keep their own."""
    names: dict[str, None] = {}
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                names |= dict.fromkeys(bound(target))
        elif isinstance(statement, ast.AnnAssign | ast.AugAssign | ast.For):
            names |= dict.fromkeys(bound(statement.target))
        for part in ("body", "orelse", "handlers"):
            inner = getattr(statement, part, [])
            for handler in [each for each in inner if isinstance(each, ast.ExceptHandler)]:
                names |= assigned(handler.body)
            names |= assigned([each for each in inner if isinstance(each, ast.stmt)])
    return names
