"""Expressions: each becomes one JavaScript expression with Python's meaning."""

import ast
import json
import math
import re
from collections.abc import Callable

from scripts.javascript.calls import translate_call
from scripts.javascript.scope import Scope, bound, local_name
from scripts.javascript.translated_sources import OURS

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "$add",
    ast.Sub: "$sub",
    ast.Mult: "$mul",
    ast.Div: "$div",
    ast.FloorDiv: "$floordiv",
    ast.Mod: "$mod",
    ast.Pow: "$pow",
    ast.LShift: "$shl",
    ast.BitOr: "$merge",
}
COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "$eq",
    ast.NotEq: "!$eq",
    ast.Lt: "$lt",
    ast.LtE: "$le",
    ast.Gt: "$gt",
    ast.GtE: "$ge",
    ast.In: "$in",
    ast.NotIn: "!$in",
}
FORMATS = {"": "$str", ",": "$grouped", "g": "$general"}
DIGITS = re.compile(r"\.([2-9])g")
SPECIFIED = re.compile(r"[<>^]?\+?\d*,?(\.\d+)?[bdefg%]?")
TRUE_OR_FALSE = ("any", "all", "bool", "isinstance")
Comprehension = ast.ListComp | ast.GeneratorExp | ast.DictComp


def number(value: int | float) -> str:
    """A literal: 7n for the int 7, 7 for the float."""
    if isinstance(value, int):
        return f"{value}n"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value).removesuffix(".0").replace("e+", "e")


def translate(node: ast.expr, scope: Scope) -> str:
    """The JavaScript of an expression; BadInput for what has none."""
    found: Callable[..., str] | None = TRANSLATIONS.get(type(node))
    if found is None:
        raise scope.refuse(node, f"a {type(node).__name__}", "write it with simpler expressions")
    return found(node, scope)


def condition(node: ast.expr, scope: Scope) -> str:
    """An expression where only its truth matters."""
    written = translate(node, scope)
    return written if is_boolean(node) else f"{scope.helper('$truth')}({written})"


def is_boolean(node: ast.expr) -> bool:
    """Whether an expression is true or false whatever its parts are."""
    if isinstance(node, ast.BoolOp):
        return all(is_boolean(each) for each in node.values)
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute):
            return function.attr == "isfinite"
        return isinstance(function, ast.Name) and function.id in TRUE_OR_FALSE
    negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return negation or isinstance(node, ast.Compare)


def _constant(node: ast.Constant, scope: Scope) -> str:
    value = node.value
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    raise scope.refuse(node, f"the constant {value!r}", "use numbers, text, True, False and None")


def _name(node: ast.Name, scope: Scope) -> str:
    if node.id in scope.locals:
        return local_name(node.id)
    place = scope.place(node)
    if place is None or not place.name:
        raise scope.refuse(node, f"{node.id} as a value", "call it where it stands")
    if place.module.split(".")[0] not in OURS:
        raise scope.refuse(node, f"{node.id} without its module", f"write {place.module}.{node.id}")
    return scope.reach(place)


def _attribute(node: ast.Attribute, scope: Scope) -> str:
    if isinstance(node.value, ast.Name) and node.value.id == "math":
        if node.attr in ("inf", "nan", "pi", "e"):
            return number(getattr(math, node.attr))
        raise scope.refuse(node, f"math.{node.attr} as a value", "call it where it stands")
    place = scope.place(node)
    if place is not None:
        return scope.reach(place)
    if node.attr == "sources":
        raise scope.refuse(node, "a registry entry's sources", "keep to its figures")
    return f"{translate(node.value, scope)}.{node.attr}"


def _subscript(node: ast.Subscript, scope: Scope) -> str:
    holder = translate(node.value, scope)
    if not isinstance(node.slice, ast.Slice):
        return f"{scope.helper('$item')}({holder}, {translate(node.slice, scope)})"
    if node.slice.step is not None:
        raise scope.refuse(node, "a slice with a step", "use reversed or a comprehension")
    ends = (node.slice.lower, node.slice.upper)
    first, last = ("null" if end is None else translate(end, scope) for end in ends)
    return f"{scope.helper('$slice')}({holder}, {first}, {last})"


def _binary(node: ast.BinOp, scope: Scope) -> str:
    if type(node.op) not in OPERATORS:
        raise scope.refuse(node, f"the operator {type(node.op).__name__}", "use + - * / // % ** <<")
    operator = scope.helper(OPERATORS[type(node.op)])
    return f"{operator}({translate(node.left, scope)}, {translate(node.right, scope)})"


def _unary(node: ast.UnaryOp, scope: Scope) -> str:
    if isinstance(node.op, ast.Not):
        return f"!({condition(node.operand, scope)})"
    if not isinstance(node.op, ast.USub):
        raise scope.refuse(node, f"the operator {type(node.op).__name__}", "use - and not")
    if isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int | float):
        return f"-{translate(node.operand, scope)}"
    return f"{scope.helper('$neg')}({translate(node.operand, scope)})"


def _boolean(node: ast.BoolOp, scope: Scope) -> str:
    both = isinstance(node.op, ast.And)
    written = translate(node.values[-1], scope)
    for each in reversed(node.values[:-1]):
        if is_boolean(each):
            written = f"({translate(each, scope)} {'&&' if both else '||'} {written})"
        else:
            helper = scope.helper("$and" if both else "$or")
            written = f"{helper}({translate(each, scope)}, () => {written})"
    return written


def _compare(node: ast.Compare, scope: Scope) -> str:
    terms = [node.left, *node.comparators]
    for middle in terms[1:-1]:
        if not _is_plain(middle):
            raise scope.refuse(
                middle, "a chain of comparisons around a computed value", "give the value a name"
            )
    pairs = zip(node.ops, terms, terms[1:], strict=False)
    written = [_compared(node, operator, left, right, scope) for operator, left, right in pairs]
    return written[0] if len(written) == 1 else f"({' && '.join(written)})"


def _is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    return isinstance(node, ast.Name | ast.Constant)


def _compared(
    node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr, scope: Scope
) -> str:
    first, second = translate(left, scope), translate(right, scope)
    if isinstance(operator, ast.Is | ast.IsNot):
        if not (isinstance(right, ast.Constant) and isinstance(right.value, bool | None)):
            raise scope.refuse(node, "`is` with more than None, True or False", "compare with ==")
        return f"{first} {'===' if isinstance(operator, ast.Is) else '!=='} {second}"
    helper = COMPARISONS[type(operator)]
    scope.helper(helper.removeprefix("!"))
    return f"{helper}({first}, {second})"


def _conditional(node: ast.IfExp, scope: Scope) -> str:
    parts = (translate(node.body, scope), translate(node.orelse, scope))
    return f"({condition(node.test, scope)} ? {parts[0]} : {parts[1]})"


def _sequence(node: ast.List | ast.Tuple, scope: Scope) -> str:
    return f"[{', '.join(translate(each, scope) for each in node.elts)}]"


def _starred(node: ast.Starred, scope: Scope) -> str:
    return f"...{translate(node.value, scope)}"


def _dict(node: ast.Dict, scope: Scope) -> str:
    pairs = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            pairs.append(f"...{translate(value, scope)}.items()")
        else:
            pairs.append(f"[{translate(key, scope)}, {translate(value, scope)}]")
    return f"new {scope.helper('$Dict')}([{', '.join(pairs)}])"


def _lambda(node: ast.Lambda, scope: Scope) -> str:
    names = [argument.arg for argument in node.args.args]
    if len(names) != len(ast.unparse(node.args).split(",")) or node.args.defaults:
        raise scope.refuse(node, "a lambda with more than plain parameters", "write a function")
    written = ", ".join(local_name(name) for name in names)
    return f"({written}) => {translate(node.body, scope.within(names))}"


def _comprehension(node: Comprehension, scope: Scope) -> str:
    first = translate(node.generators[0].iter, scope)
    inner = scope
    loops = ""
    for index, generator in enumerate(node.generators):
        over = translate(generator.iter, inner) if index else "$first"
        inner = inner.within(bound(generator.target))
        loops += f"for (const {_pattern(generator.target, inner)} of {over}) "
        for test in generator.ifs:
            loops += f"if ({condition(test, inner)}) "
    if isinstance(node, ast.DictComp):
        item = f"[{translate(node.key, inner)}, {translate(node.value, inner)}]"
    else:
        item = translate(node.elt, inner)
    written = f"(function* ($first) {{ {loops}yield {item}; }})({first})"
    if isinstance(node, ast.DictComp):
        return f"new {scope.helper('$Dict')}({written})"
    return f"[...{written}]" if isinstance(node, ast.ListComp) else written


def _pattern(target: ast.expr, scope: Scope) -> str:
    if isinstance(target, ast.Name):
        return local_name(target.id)
    if isinstance(target, ast.Tuple):
        return f"[{', '.join(_pattern(each, scope) for each in target.elts)}]"
    raise scope.refuse(target, "this target of a loop", "loop over plain names")


def _text(node: ast.JoinedStr, scope: Scope) -> str:
    written = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            plain = json.dumps(str(part.value), ensure_ascii=False)[1:-1].replace('\\"', '"')
            written += plain.replace("`", "\\`").replace("${", "\\${")
        elif isinstance(part, ast.FormattedValue):
            written += f"${{{_formatted(part, scope)}}}"
    return f"`{written}`"


def _formatted(part: ast.FormattedValue, scope: Scope) -> str:
    value = translate(part.value, scope)
    spec = ast.unparse(part.format_spec)[2:-1] if part.format_spec else ""
    if part.conversion == ord("r") and not spec:
        return f"{scope.helper('$repr')}({value})"
    if part.conversion == -1 and (digits := DIGITS.fullmatch(spec)):
        return f"{scope.helper('$general')}({value}, {digits[1]})"
    if part.conversion != -1 or not SPECIFIED.fullmatch(spec):
        raise scope.refuse(
            part,
            f"the format {spec!r} in an f-string",
            "use such as {x}, {x:,}, {x:>8.2f} or {x!r}",
        )
    if spec in FORMATS:
        return f"{scope.helper(FORMATS[spec])}({value})"
    return f'{scope.helper("$format")}({value}, "{spec}")'


def _call(node: ast.Call, scope: Scope) -> str:
    return translate_call(node, scope, translate)


def _yield(node: ast.Yield, scope: Scope) -> str:
    return f"yield {translate(node.value, scope) if node.value else 'null'}"


def _yield_from(node: ast.YieldFrom, scope: Scope) -> str:
    return f"yield* {translate(node.value, scope)}"


TRANSLATIONS: dict[type[ast.expr], Callable[..., str]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Starred: _starred,
    ast.Dict: _dict,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.JoinedStr: _text,
    ast.Call: _call,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
