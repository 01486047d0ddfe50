"""What an expression measures, by the units that its fields and functions declare or are named after.

`dimension_of(expression, declared)` is () for a plain number and None where it cannot be known; a
literal of the expression may stand for anything. Numbers compare it with the unit that a text states.
"""

import ast
from collections.abc import Mapping

from scripts.proof.units import Dimension, dimension_of_name, spelled, times

LITERAL: Dimension = (("literal", 0),)  # what a written constant measures: whatever it is used as
SAME = ("min", "max", "sum", "abs", "round", "ceil", "floor")


class Mixed(ValueError):
    """An expression that adds what measures different things."""


def dimension_of(expression: str, declared: Mapping[str, str]) -> Dimension | None:
    """What it measures. Raises Mixed where it adds, say, bytes to seconds."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # said where it is evaluated
    found = _of(tree.body, declared)
    return None if found == LITERAL else found


def dimension_of_record(place: str, declared: Mapping[str, str]) -> Dimension | None:
    """What the field "DEVICE/EXPERIMENT: path.to.field" measures: its last step that says so."""
    for step in reversed(place.partition(":")[2].strip().split(".")):
        found = dimension_of_name(step, declared)
        if found is not None:
            return found
    return None


def _of(node: ast.AST, declared: Mapping[str, str]) -> Dimension | None:
    match node:
        case ast.Constant(value=int() | float()):
            return LITERAL
        case ast.Attribute(value=ast.Call(func=ast.Name(id=made)), attr=_) if (
            f"{made}()" in declared
        ):
            return dimension_of_name(f"{made}()", declared)  # a result whose fields are all alike
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return dimension_of_name(name, declared)
        case ast.UnaryOp(operand=inner):
            return _of(inner, declared)
        case ast.BinOp(left=left, op=op, right=right):
            return _operate(_of(left, declared), op, _of(right, declared), right)
        case ast.Call(func=ast.Name(id="record"), args=[ast.Constant(value=str() as place)]):
            return dimension_of_record(place, declared)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            if name not in SAME:
                called = f"{name}()"
                return dimension_of_name(called if called in declared else name, declared)
            found = None
            for argument in arguments:
                found = found or _of(argument, declared)
            return found
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
            return _of(first, declared)
        case ast.Subscript(value=inner):
            return _of(inner, declared)
    return None


def _operate(
    left: Dimension | None, op: ast.operator, right: Dimension | None, exponent: ast.expr
) -> Dimension | None:
    if isinstance(op, ast.Pow):
        whole = isinstance(exponent, ast.Constant) and isinstance(exponent.value, int)
        if left in (LITERAL, ()):
            return left
        return times((), left, exponent.value) if left and whole else None  # type: ignore[attr-defined]
    if isinstance(op, ast.Add | ast.Sub | ast.Mod):
        if None in (left, right) or LITERAL in (left, right) or left == right:
            return right if left in (LITERAL, None) else left
        assert left is not None
        assert right is not None
        raise Mixed(f"it adds {spelled(left)} to {spelled(right)}")
    if left is None or right is None:
        return None
    if LITERAL in (left, right) and {left, right} <= {LITERAL, ()}:
        return LITERAL  # "4 * parameters" may be bytes, four of them each
    power = 1 if isinstance(op, ast.Mult) else -1
    return times(() if left == LITERAL else left, () if right == LITERAL else right, power)
