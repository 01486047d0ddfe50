"""Calls: of our functions and dataclasses by their signatures, of Python's by a short list."""

import ast
from collections.abc import Callable

from scripts.javascript.scope import Scope
from scripts.javascript.translated_sources import Place, read_source

BUILT_IN = {
    "abs": "$abs",
    "all": "$all",
    "any": "$any",
    "bool": "$truth",
    "enumerate": "$enumerate",
    "float": "$float",
    "getattr": "$getattr",
    "len": "$len",
    "range": "$range",
    "reversed": "$reversed",
    "round": "$round",
    "sorted": "$sorted",
    "str": "$str",
    "sum": "$sum",
    "vars": "$vars",
}
MATH = {"ceil", "copysign", "erf", "floor", "frexp", "isfinite", "log10", "log2", "sqrt"}
METHODS = {"append": "$append", "count": "$count", "lower": "$lower", "upper": "$upper"}
OF_DICTS = {"get", "items", "keys", "values"}
KINDS = {"bool", "int", "float", "str", "list", "dict"}
ERRORS = {"ValueError", "TypeError", "ZeroDivisionError", "OverflowError"}
Translate = Callable[[ast.expr, Scope], str]


def translate_call(node: ast.Call, scope: Scope, translate: Translate) -> str:
    """The JavaScript of a call."""
    place = scope.place(node.func)
    if place is not None and place.module.split(".")[0] in ("snippets", "scripts"):
        definition = read_source(place.module).definitions.get(place.name)
        if isinstance(definition, ast.FunctionDef):
            return _function(node, scope, translate, place, definition)
        if isinstance(definition, ast.ClassDef):
            return _construct(node, scope, translate, place, definition)
    if place == Place("dataclasses", "replace"):
        changes = _keywords(node, scope, translate)
        whole = translate(node.args[0], scope)
        return f"{scope.helper('$replace')}({whole}, {changes})"
    if isinstance(node.func, ast.Attribute) and scope.place(node.func) is None:
        return _method(node, node.func, scope, translate)
    if isinstance(node.func, ast.Name) and node.func.id not in scope.locals and place is None:
        return _built_in(node, node.func.id, scope, translate)
    if node.keywords:
        raise scope.refuse(
            node, "keywords in a call of what is not known here", "pass them by place"
        )
    return f"({translate(node.func, scope)})({_arguments(node, scope, translate)})"


def _arguments(node: ast.Call, scope: Scope, translate: Translate) -> str:
    return ", ".join(translate(each, scope) for each in node.args)


def _keywords(
    node: ast.Call, scope: Scope, translate: Translate, drop: tuple[str, ...] = ()
) -> str:
    written = []
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg is None:
            written.append(f"...{scope.helper('$keywords')}({translate(value, scope)})")
        elif keyword.arg not in drop:
            text = translate(value, scope)
            written.append(keyword.arg if text == keyword.arg else f"{keyword.arg}: {text}")
    return f"{{{', '.join(written)}}}"


def _function(
    node: ast.Call, scope: Scope, translate: Translate, place: Place, callee: ast.FunctionDef
) -> str:
    """Keywords of plain parameters go to their places, the others into one object at the end."""
    arguments = callee.args
    plain = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    only = [argument.arg for argument in arguments.kwonlyargs]
    given: dict[str, str] = {}
    rest: list[str] = []
    for index, each in enumerate(node.args):
        if isinstance(each, ast.Starred) and arguments.vararg and index >= len(plain):
            rest.append(translate(each, scope))
        elif isinstance(each, ast.Starred):
            raise scope.refuse(node, "a starred argument", "pass the arguments one by one")
        elif index < len(plain):
            given[plain[index]] = translate(each, scope)
        elif arguments.vararg:
            rest.append(translate(each, scope))
        else:
            raise scope.refuse(node, f"too many arguments of {place.name}", "pass fewer")
    others: list[str] = []
    for keyword in node.keywords:
        text = translate(keyword.value, scope)
        if keyword.arg is None:
            raise scope.refuse(node, "** in a call of a function", "name each argument")
        if keyword.arg in plain:
            given[keyword.arg] = text
        elif keyword.arg in only or arguments.kwarg:
            others.append(keyword.arg if text == keyword.arg else f"{keyword.arg}: {text}")
        else:
            raise scope.refuse(
                node, f"{place.name} has no parameter {keyword.arg}", "correct the keyword"
            )
    written = [given.get(name, "undefined") for name in plain]
    if arguments.vararg:
        written.append(f"[{', '.join(rest)}]")
    if others:
        written.append(f"{{ {', '.join(others)} }}")
    while written and written[-1] == "undefined":
        written.pop()
    return f"{scope.reach(place)}({', '.join(written)})"


def _construct(
    node: ast.Call, scope: Scope, translate: Translate, place: Place, callee: ast.ClassDef
) -> str:
    fields = [
        each.target.id
        for each in callee.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
    for name, value in zip(fields, node.args, strict=False):
        node = ast.Call(node.func, [], [ast.keyword(name, value), *node.keywords])
    by_name = _keywords(node, scope, translate, drop=("sources",))
    return f"new {scope.reach(place)}({by_name})"


def _method(node: ast.Call, function: ast.Attribute, scope: Scope, translate: Translate) -> str:
    arguments = _arguments(node, scope, translate)
    if isinstance(function.value, ast.Name) and function.value.id == "math":
        if function.attr not in MATH:
            raise scope.refuse(
                node, f"math.{function.attr}", f"of math there are {', '.join(sorted(MATH))}"
            )
        return f"{scope.helper(f'${function.attr}')}({arguments})"
    if ast.unparse(function) == "dict.fromkeys":
        return f"{scope.helper('$fromkeys')}({arguments})"
    holder = translate(function.value, scope)
    if function.attr == "join":
        return f"{scope.helper('$join')}({holder}, {arguments})"
    if function.attr in METHODS:
        return f"{scope.helper(METHODS[function.attr])}({holder}, {arguments})"
    if function.attr in OF_DICTS and not node.keywords:
        return f"{holder}.{function.attr}({arguments})"
    raise scope.refuse(
        node,
        f"the method {function.attr}",
        f"of methods there are {', '.join(sorted({*METHODS, *OF_DICTS, 'join'}))}",
    )


def _built_in(node: ast.Call, name: str, scope: Scope, translate: Translate) -> str:
    if name in ("min", "max"):
        return _extreme(node, name, scope, translate)
    if name == "isinstance":
        kinds = _kinds(node.args[1])
        if not KINDS.issuperset(kinds):
            raise scope.refuse(node, f"isinstance of {kinds}", f"test for {sorted(KINDS)}")
        checked = ", ".join(f'"{kind}"' for kind in kinds)
        return f"{scope.helper('$isa')}({translate(node.args[0], scope)}, {checked})"
    if name in ("list", "tuple"):
        return f"[...{_arguments(node, scope, translate)}]"
    if name in ERRORS:
        error = name if name == "TypeError" else scope.helper(name)
        return f"new {error}({_arguments(node, scope, translate)})"
    limit = 1 if name in ("round", "sorted", "sum", "enumerate") else 3
    if name not in BUILT_IN or node.keywords or len(node.args) > limit:
        raise scope.refuse(
            node,
            f"this call of {name}",
            f"of built-in functions there are {', '.join(sorted({*BUILT_IN, 'min', 'max'}))}",
        )
    return f"{scope.helper(BUILT_IN[name])}({_arguments(node, scope, translate)})"


def _extreme(node: ast.Call, name: str, scope: Scope, translate: Translate) -> str:
    values = _arguments(node, scope, translate)
    if len(node.args) > 1:
        values = f"[{values}]"
    options = []
    for keyword in node.keywords:
        if keyword.arg not in ("key", "default"):
            raise scope.refuse(node, f"{name} with {keyword.arg}", "pass key and default alone")
        label = "otherwise" if keyword.arg == "default" else "key"
        options.append(f"{label}: {translate(keyword.value, scope)}")
    extra = f", {{ {', '.join(options)} }}" if options else ""
    return f"{scope.helper(f'${name}')}({values}{extra})"


def _kinds(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp):
        return [*_kinds(node.left), *_kinds(node.right)]
    if isinstance(node, ast.Tuple):
        return [kind for each in node.elts for kind in _kinds(each)]
    return [ast.unparse(node)]
