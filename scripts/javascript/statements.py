"""Statements, functions and dataclasses."""

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from scripts.javascript.expressions import condition, translate
from scripts.javascript.scope import Scope, assigned, bound, local_name
from scripts.javascript.translated_sources import Place, Source, refuse, value_of

Literal = Callable[[Any], str]


def function(definition: ast.FunctionDef, scope: Scope, *, method: bool = False) -> str:
    """A function's parameters and body, from the opening parenthesis on."""
    arguments = definition.args
    plain = [*arguments.posonlyargs, *arguments.args]
    names = [argument.arg for argument in (*plain, *arguments.kwonlyargs)]
    for extra in (arguments.vararg, arguments.kwarg):
        names += [extra.arg] if extra else []
    fresh = [name for name in assigned(definition.body) if name not in names]
    inner = scope.within([*names, *fresh])
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    written = [
        _parameter(each.arg, default, scope) for each, default in zip(plain, defaults, strict=True)
    ]
    prologue = ""
    if method:
        prologue = f"const {local_name(plain[0].arg)} = this; "
        written = written[1:]
    if arguments.vararg:
        written.append(local_name(arguments.vararg.arg))
    if arguments.kwonlyargs:
        pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        only = [_named(each.arg, default, scope) for each, default in pairs]
        written.append(f"{{ {', '.join(only)} }} = {{}}")
    elif arguments.kwarg:
        name = local_name(arguments.kwarg.arg)
        written.append(name)
        prologue += f"{name} = new {scope.helper('$Dict')}(Object.entries({name})); "
    if fresh:
        prologue += f"let {', '.join(local_name(name) for name in fresh)}; "
    ends = isinstance(definition.body[-1], ast.Return | ast.Raise) or is_generator(definition)
    ending = "" if ends else " return null;"
    return f"({', '.join(written)}) {{ {prologue}{block(definition.body, inner)}{ending} }}"


def is_generator(definition: ast.FunctionDef) -> bool:
    """Whether a function yields."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(definition))


def _parameter(name: str, default: ast.expr | None, scope: Scope) -> str:
    return local_name(name) + (f" = {translate(default, scope)}" if default else "")


def _named(name: str, default: ast.expr | None, scope: Scope) -> str:
    renamed = name if local_name(name) == name else f"{name}: {local_name(name)}"
    return renamed + (f" = {translate(default, scope)}" if default else "")


def block(body: list[ast.stmt], scope: Scope) -> str:
    """Statements, docstrings left out."""
    return " ".join(filter(None, (_statement(each, scope) for each in body)))


def _statement(node: ast.stmt, scope: Scope) -> str:
    found: Callable[..., str] | None = STATEMENTS.get(type(node))
    if found is None:
        kind = type(node).__name__
        raise scope.refuse(node, f"the statement {kind}", "use if, for, while, return and raise")
    return found(node, scope)


def _return(node: ast.Return, scope: Scope) -> str:
    return f"return {translate(node.value, scope) if node.value else 'null'};"


def _expression(node: ast.Expr, scope: Scope) -> str:
    if isinstance(node.value, ast.Constant):
        return ""
    return f"{translate(node.value, scope)};"


def _assign(node: ast.Assign, scope: Scope) -> str:
    if len(node.targets) > 1:
        raise scope.refuse(node, "two targets of one assignment", "write two assignments")
    target = node.targets[0]
    if not isinstance(target, ast.Tuple):
        return _store(target, translate(node.value, scope), scope)
    count = len(target.elts)
    value = translate(node.value, scope)
    if not (isinstance(node.value, ast.Tuple) and len(node.value.elts) == count):
        value = f"{scope.helper('$unpack')}({value}, {count})"
    if all(isinstance(each, ast.Name) for each in target.elts):
        return f"[{', '.join(map(local_name, bound(target)))}] = {value};"
    stores = " ".join(_store(each, f"$values[{i}]", scope) for i, each in enumerate(target.elts))
    return f"{{ const $values = {value}; {stores} }}"


def _annotated(node: ast.AnnAssign, scope: Scope) -> str:
    return _store(node.target, translate(node.value, scope), scope) if node.value else ""


def _store(target: ast.expr, value: str, scope: Scope) -> str:
    if isinstance(target, ast.Name):
        return f"{local_name(target.id)} = {value};"
    if isinstance(target, ast.Attribute):
        return f"{translate(target.value, scope)}.{target.attr} = {value};"
    if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
        holder, at = translate(target.value, scope), translate(target.slice, scope)
        return f"{scope.helper('$setitem')}({holder}, {at}, {value});"
    raise scope.refuse(target, "this target of an assignment", "assign to names and items")


def _augmented(node: ast.AugAssign, scope: Scope) -> str:
    names = {ast.Add: "$increase", ast.Sub: "$sub", ast.Mult: "$mul", ast.Div: "$div"}
    if type(node.op) not in names:
        raise scope.refuse(node, "this assignment", "use += -= *= /=")
    current = translate(_as_value(node.target), scope)
    helper = scope.helper(names[type(node.op)])
    return _store(node.target, f"{helper}({current}, {translate(node.value, scope)})", scope)


def _as_value(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    return ast.copy_location(ast.parse(ast.unparse(target), mode="eval").body, target)


def _if(node: ast.If, scope: Scope) -> str:
    written = f"if ({condition(node.test, scope)}) {{ {block(node.body, scope)} }}"
    return written + (f" else {{ {block(node.orelse, scope)} }}" if node.orelse else "")


def _for(node: ast.For, scope: Scope) -> str:
    if node.orelse:
        raise scope.refuse(node, "a for with an else", "set a flag and test it afterwards")
    names = [local_name(name) for name in bound(node.target)]
    if not isinstance(node.target, ast.Name | ast.Tuple) or len(names) != len(
        getattr(node.target, "elts", [node.target])
    ):
        raise scope.refuse(node.target, "this target of a loop", "loop over plain names")
    target = names[0] if isinstance(node.target, ast.Name) else f"[{', '.join(names)}]"
    return f"for ({target} of {translate(node.iter, scope)}) {{ {block(node.body, scope)} }}"


def _while(node: ast.While, scope: Scope) -> str:
    if node.orelse:
        raise scope.refuse(node, "a while with an else", "set a flag and test it afterwards")
    return f"while ({condition(node.test, scope)}) {{ {block(node.body, scope)} }}"


def _raise(node: ast.Raise, scope: Scope) -> str:
    if node.exc is None:
        raise scope.refuse(node, "a bare raise", "name the error")
    if not scope.refusals and isinstance(node.exc, ast.Call):
        return f"throw {translate(ast.Call(node.exc.func, [], []), scope)};"
    return f"throw {translate(node.exc, scope)};"


def _try(node: ast.Try, scope: Scope) -> str:
    handler = node.handlers[0]
    plain = len(node.handlers) == 1 and handler.name is None
    if not plain or node.orelse or node.finalbody or not isinstance(handler.type, ast.Name):
        raise scope.refuse(node, "this try", "catch one kind of error, without a name for it")
    kind = scope.helper(handler.type.id)
    caught = f"if (!($error instanceof {kind})) throw $error; {block(handler.body, scope)}"
    return f"try {{ {block(node.body, scope)} }} catch ($error) {{ {caught} }}"


STATEMENTS: dict[type[ast.stmt], Callable[..., str]] = {
    ast.Return: _return,
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Raise: _raise,
    ast.Try: _try,
    ast.Break: lambda node, scope: "break;",
    ast.Continue: lambda node, scope: "continue;",
    ast.Pass: lambda node, scope: "",
}


def dataclass(
    name: str,
    definition: ast.ClassDef,
    place: Place,
    source: Source,
    scope: Scope,
    literal: Literal,
) -> str:
    """A dataclass: its fields but `sources`, their defaults, and its methods and properties.

    One that it is derived from may add fields and nothing else.
    """
    made = value_of(place)
    bases = made.__mro__[1:-1]
    plain = all(map(dataclasses.is_dataclass, (made, *bases)))
    if not plain or any(
        inspect.isroutine(value) or isinstance(value, property)
        for base in bases
        for name, value in vars(base).items()
        if not name.startswith("__")
    ):
        raise refuse(source, definition, "a class that is no plain dataclass", "use @dataclass")
    fields = [each for each in dataclasses.fields(made) if each.name != "sources"]
    names = ", ".join(f'"{each.name}"' for each in fields)
    defaults = ", ".join(f"{name}: () => {value}" for name, value in _defaults(fields, literal))
    frozen = vars(made)["__dataclass_params__"].frozen
    helper = scope.helper("$dataclass")
    options = f"{{ {defaults} }}, {str(frozen).lower()}"
    base = f'{helper}("{definition.name}", [{names}], {options})'
    methods = " ".join(
        _method(each, source, scope)
        for each in definition.body
        if isinstance(each, ast.FunctionDef)
    )
    return f"class {name} extends {base} {{ {methods} }}"


def _defaults(fields: list[dataclasses.Field[Any]], literal: Literal) -> Iterator[tuple[str, str]]:
    for each in fields:
        if each.default is not dataclasses.MISSING:
            yield each.name, literal(each.default)
        elif each.default_factory is not dataclasses.MISSING:
            yield each.name, literal(each.default_factory())


def _method(definition: ast.FunctionDef, source: Source, scope: Scope) -> str:
    decorators = [ast.unparse(each) for each in definition.decorator_list]
    if decorators not in ([], ["property"]):
        raise refuse(source, definition, f"@{decorators[0]}", "use plain methods and properties")
    kind = "get " if decorators else "*" if is_generator(definition) else ""
    return f"{kind}{definition.name}{function(definition, scope, method=True)}"
