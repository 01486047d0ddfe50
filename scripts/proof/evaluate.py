"""Evaluate the expressions behind proven numbers: arithmetic over given names and records.

Whoever judges pages makes one Evaluator, of the names that expressions may use, the published records
and the bibliography, and asks it for the value of each definition.
"""

import ast
import difflib
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from scripts.core.faults import BadInput
from scripts.records import record as records

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
LARGEST_EXPONENT = 1024
BUILT_IN: dict[str, Any] = {
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    "round": round,
    "len": len,
}
BUILT_IN |= {
    name: getattr(math, name) for name in ("sqrt", "exp", "log2", "log10", "log", "ceil", "floor")
}
BUILT_IN |= dict.fromkeys(("bit", "byte", "operation", "second"), 1.0)  # what a literal measures


class Wrong(ValueError):
    """An expression that has no value. `remedy` says what to do about it."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class Evaluator:
    """Evaluates `#calc`, `#cite` and `#record` expressions."""

    def __init__(
        self,
        names: Mapping[str, Any],
        published: Mapping[str, records.Record],
        bibliography: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.published = published
        self.bibliography = bibliography
        self.names: dict[str, Any] = {**BUILT_IN, **names, "record": self.record}

    def record(self, place: str) -> float:
        """The number at "DEVICE/EXPERIMENT: path.to.field" of the published records."""
        if not isinstance(place, str):
            raise Wrong(f"{place!r} names no field", 'write "device/experiment: path.to.field"')
        key, separator, path = place.partition(":")
        if not separator or not path.strip():
            raise Wrong(f"{place!r} names no field", 'write "device/experiment: path.to.field"')
        record = self.published.get(key.strip())
        if record is None:
            raise Wrong(f"no published record {key.strip()!r}", _nearest(key, self.published))
        try:
            value = records.lookup(record, path.strip())
        except BadInput as error:
            raise Wrong(error.fault.message, error.fault.remedy) from None
        return _number(value, place)

    def calc(self, expression: str) -> float:
        """The value of an arithmetic expression, in base units."""
        return _number(self.evaluate(expression), expression)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, number or not. Raises Wrong with a remedy."""
        try:
            tree = ast.parse(expression.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            said = getattr(error, "msg", "") or type(error).__name__
            raise Wrong(
                f"not an expression: {expression:.60} ({said})",
                "write plain arithmetic, and less of it",
            ) from None
        try:
            return self._value(tree.body)
        except ZeroDivisionError:
            raise Wrong(f"divides by zero: {expression}", "check the divisor") from None
        except Wrong:
            raise
        except (
            TypeError,
            ValueError,
            ArithmeticError,
            LookupError,
            AttributeError,
            RecursionError,
        ) as error:
            raise Wrong(
                f"{expression:.200} fails: {error}",
                "check the arguments against the function's docstring",
            ) from None

    def cite(self, expression: str) -> tuple[float | None, str]:
        """What a citation says: (value or None, the words that its link's text must hold).

        `object.field` gives a registry's figure, `object.field: words` words of its source;
        `key: locator` a place in a work, `key: locator = value` a value that stands there.
        """
        key, _, rest = expression.partition(":")
        if key.strip() in self.bibliography:
            locator, equals, value = rest.partition("=")
            year = self.bibliography[key.strip()].get("year", "")
            if equals:
                return self.calc(value), ""
            return None, locator.strip() or year
        target, dot, field = key.strip().rpartition(".")
        if not dot:
            known = [*self.bibliography, *self.names]
            raise Wrong(f"nothing is called {expression!r}", _nearest(expression, known))
        holder = self.evaluate(target)
        sources = getattr(holder, "sources", None)
        if not isinstance(sources, Mapping):
            raise Wrong(f"{target} is no registry entry", "use #calc for what is computed")
        if field not in sources:
            raise Wrong(f"{target}.{field} has no source", _nearest(field, sources))
        words = rest.strip()
        if words:
            section = sources[field].section
            if not re.search(rf"(?<!\w){re.escape(words)}(?!\w)", section):
                raise Wrong(
                    f"{words!r} does not stand in its source", f"the source says: {section}"
                )
            return None, words
        return _number(getattr(holder, field), expression), ""

    def year(self, expression: str) -> str:
        """The year of the work that a citation names; "" for a registry's figure."""
        return self.bibliography.get(expression.partition(":")[0].strip(), {}).get("year", "")

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float() | str() as value):
                return value
            case ast.Name(id=name):
                if name not in self.names:
                    raise Wrong(
                        f"nothing in snippets/ is called {name}", _nearest(name, self.names)
                    )
                return self.names[name]
            case ast.Attribute(value=inner, attr=attribute) if not attribute.startswith("_"):
                holder = self._value(inner)
                if not hasattr(holder, attribute):
                    shown = ast.unparse(inner)
                    raise Wrong(f"{shown} has no {attribute}", _nearest(attribute, dir(holder)))
                return getattr(holder, attribute)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return _operate(op, self._value(left), self._value(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self._value(operand))
            case ast.Call(func=ast.Name() as function, args=arguments, keywords=keywords):
                return self._value(function)(
                    *[self._value(argument) for argument in arguments],
                    **{k.arg: self._value(k.value) for k in keywords if k.arg},
                )
            case ast.Subscript(value=inner, slice=index):
                return self._value(inner)[self._value(index)]
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return [self._value(element) for element in elements]
        raise Wrong(
            f"not allowed here: {ast.unparse(node)}", "write plain arithmetic over snippets/"
        )


def _operate(op: ast.operator, left: Any, right: Any) -> Any:
    if not all(isinstance(side, int | float) or hasattr(side, "item") for side in (left, right)):
        raise Wrong("only numbers can be computed with", "name fields and call functions")
    if isinstance(op, ast.Pow) and abs(right) > LARGEST_EXPONENT:
        raise Wrong(f"an exponent of {right} is too large", "write a smaller power")
    return OPERATORS[type(op)](left, right)


def _number(value: Any, expression: str) -> float:
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()  # a numpy scalar
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong(
            f"{expression} is no number but {value!r:.60}", "name a field or call a function"
        )
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise Wrong(f"{expression:.60} is not a finite number", "check what is divided and by what")
    return value


def _nearest(name: str, known: Any) -> str:
    names = [str(k) for k in known if not str(k).startswith("_")]
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    return f"did you mean {', '.join(close)}?" if close else "see the reference page of functions"
