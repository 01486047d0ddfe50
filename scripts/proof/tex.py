r"""Evaluate the TeX of a formula: `70\times10^9 \cdot 2\ \text{B} = 140\ \text{GB}`.

A small recursive-descent parser that evaluates as it reads. Letters take their values from the
bindings given; without them a formula that has letters is symbolic and has no value.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from scripts.proof.units import UNIT_LIKE, UNITS, WORDS, Dimension, Unit, spelled, times, unit_of

TOKEN = re.compile(
    r"(?P<number>\d+(?:(?:\{,\}|,(?=\d{3}))\d{3})*(?:\.\d+)?)"
    r"|(?P<text>\\(?:text|mathrm|operatorname)\{[^{}]*\})"
    r"|(?P<space>\\[,;:! ]|\\q?quad|[\s~&]+|\\(?:left|right|displaystyle|big|Big)(?![A-Za-z]))"
    r"|(?P<command>\\[A-Za-z]+|\\[|{}])"
    r"|(?P<symbol>[A-Za-z()\[\]{}^_+\-*/|!'])"
)
FUNCTIONS = {r"\ln": math.log, r"\log": math.log, r"\exp": math.exp}


class Symbolic(ValueError):
    """The formula has letters without a value, or TeX that is no arithmetic."""


class Undefined(ValueError):
    """The formula is arithmetic, but divides by zero or leaves the range of numbers."""


@dataclass(frozen=True)
class Quantity:
    """A value in base units and what it measures; None where a letter keeps that open."""

    value: float
    dimension: Dimension | None = ()

    def _alike(self, other: "Quantity") -> Dimension | None:
        if self.dimension is not None and other.dimension not in (None, self.dimension):
            raise Undefined(f"{spelled(self.dimension)} and {spelled(other.dimension or ())}")
        return other.dimension if self.dimension is None else self.dimension

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.value + other.value, self._alike(other))

    def __neg__(self) -> "Quantity":
        return Quantity(-self.value, self.dimension)

    def _combine(self, other: "Quantity", value: float, power: int) -> "Quantity":
        if self.dimension is None or other.dimension is None:
            return Quantity(value, None)
        return Quantity(value, times(self.dimension, other.dimension, power))

    def __mul__(self, other: "Quantity") -> "Quantity":
        return self._combine(other, self.value * other.value, 1)

    def __truediv__(self, other: "Quantity") -> "Quantity":
        return self._combine(other, self.value / other.value, -1)

    def __pow__(self, other: "Quantity") -> "Quantity":
        if abs(other.value) > 1100:
            raise Undefined("too large an exponent")
        value = self.value**other.value
        if self.dimension and other.value != int(other.value):
            return Quantity(value, None)
        return Quantity(
            value, times((), self.dimension, int(other.value)) if self.dimension else self.dimension
        )

    def plain(self) -> float:
        """Its value, of what must be a plain number."""
        if self.dimension:
            raise Undefined(f"{spelled(self.dimension)} where a plain number must stand")
        return self.value


@dataclass(frozen=True)
class Side:
    """One side of a relation. `literal` is set when it is a plain number with its own precision."""

    tex: str
    value: float
    dimension: Dimension | None
    literal: "Literal | None"


@dataclass(frozen=True)
class Literal:
    r"""A number as written, `3.35\times10^{12}\ \text{B/s}`: digits, decimals, worth of one unit."""

    digits: str
    decimals: int
    scale: float
    dimension: Dimension | None = ()

    def agrees(self, value: float) -> bool:
        """Whether `value`, rounded to this literal's precision, gives its digits."""
        return f"{value / self.scale:.{self.decimals}f}" == self.digits


def evaluate_side(tex: str, bindings: Mapping[str, float] | None = None) -> Side:
    """The value of one side in base units. Raises Symbolic or Undefined where it has none."""
    parser = _Parser(tex, bindings or {})
    try:
        found = parser.sum()
        value = found.value
    except (Symbolic, Undefined):
        raise
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise Undefined(f"{tex}: {error}") from None
    except RecursionError:
        raise Symbolic(f"{tex:.60} is nested too deeply") from None
    if parser.tokens:
        raise Symbolic(f"cannot read {parser.tokens[0][1]!r} in {tex!r}")
    if isinstance(value, complex) or not math.isfinite(value):
        raise Undefined(f"{tex} is not a finite number")
    return Side(tex, value, found.dimension, parse_literal(tex))


LITERAL = re.compile(
    r"^(?P<digits>\d+(?:(?:\{,\}|,)\d{3})*(?:\.\d+)?)"
    r"(?:\s*\\(?:times|cdot)\s*10\^(?:\{(?P<braced>-?\d+)\}|(?P<bare>\d)))?"
    r"(?P<unit>(?:(?:\\[,;: ]|~|\s)*(?:\\(?:text|mathrm)\{[^{}]*\}|\\%))?)(?:\\[,;: ]|~|\s|\.)*$"
)


def parse_literal(tex: str) -> Literal | None:
    """The literal that a whole side consists of, or None."""
    match = LITERAL.match(tex.strip())
    if not match:
        return None
    digits = match["digits"].replace("{,}", "").replace(",", "")
    exponent = int(match["braced"] or match["bare"] or 0)
    try:
        unit = _unit(match["unit"])
    except Symbolic:
        return None
    if abs(exponent) > 300:
        return None
    scale = 10.0**exponent * unit.scale
    return Literal(digits, len(digits.partition(".")[2]), scale, unit.dimension)


def _unit(tex: str) -> Unit:
    """What words in a formula are worth. Raises Symbolic for a unit that is not known."""
    words = re.sub(r"\\(?:text|mathrm|operatorname)\{([^{}]*)\}|\\[,;: ]|~", r"\1 ", tex)
    words = " ".join(words.split())
    if words == r"\%":
        return UNITS["%"]
    found = unit_of(words) if words else Unit()
    if found is None and any(w in UNITS or w in WORDS or UNIT_LIKE.match(w) for w in words.split()):
        raise Symbolic(f"{words!r} is no unit that is known here")
    return found or Unit()


class _Parser:
    def __init__(self, tex: str, bindings: Mapping[str, float]) -> None:
        self.bindings = bindings
        self.tokens: list[tuple[str, str]] = []
        position = 0
        tex = tex.replace(r"\%", r"\text{%}")
        while position < len(tex):
            match = TOKEN.match(tex, position)
            if not match:
                raise Symbolic(f"cannot read {tex[position]!r} in {tex!r}")
            if match.lastgroup and match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match[0]))
            position = match.end()

    def peek(self) -> str:
        return self.tokens[0][1] if self.tokens else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise Symbolic(f"expected {expected or 'more'}, found {token!r}")
        self.tokens.pop(0)
        return token

    def sum(self) -> Quantity:
        negative = self.peek() in ("-", "+") and self.take() == "-"
        total = -self.product() if negative else self.product()
        while self.peek() in ("+", "-"):
            total += self.product() if self.take() == "+" else -self.product()
        return total

    def product(self) -> Quantity:
        value = self.power()
        while self.tokens:
            if self.peek() in (r"\times", r"\cdot", "*"):
                self.take()
                value = value * self.power()
            elif self.peek() == "/":
                self.take()
                value = value / self.power()
            elif self.peek() in ("+", "-", ")", "}", "]", "|", r"\rvert", r"\rceil", r"\rfloor"):
                break
            else:
                value = value * self.power()
        return value

    def power(self) -> Quantity:
        base = self.atom()
        while self.peek() == "^":
            self.take()
            exponent = self.group()
            base = base ** Quantity(exponent.plain())
        return base

    def group(self) -> Quantity:
        if self.peek() == "{":
            self.take()
            value = self.sum()
            self.take("}")
            return value
        kind, token = self.tokens[0] if self.tokens else ("", "")
        if kind == "number" and len(token) > 1:  # TeX takes one digit: 10^12 is 10^1 2
            self.tokens[0] = (kind, token[1:])
            return Quantity(float(token[0]))
        return self.atom()

    def atom(self) -> Quantity:
        kind = self.tokens[0][0] if self.tokens else ""
        token = self.take()
        if kind == "number":
            return Quantity(float(token.replace("{,}", "").replace(",", "")))
        if kind == "text":
            unit = _unit(token)
            return Quantity(unit.scale, unit.dimension)
        if token in ("(", "[", "{", r"\lceil", r"\lfloor", r"\lvert"):
            value = self.sum()
            closing = self.take()
            if token == r"\lceil" and closing == r"\rceil":
                return Quantity(math.ceil(value.value), value.dimension)
            if token == r"\lfloor" and closing == r"\rfloor":
                return Quantity(math.floor(value.value), value.dimension)
            return Quantity(abs(value.value), value.dimension) if token == r"\lvert" else value
        if token in (r"\frac", r"\tfrac", r"\dfrac"):
            above = self.group()
            return above / self.group()
        if token == r"\sqrt":
            return Quantity(math.sqrt(self.group().plain()))
        if token in FUNCTIONS:
            return self.function(token)
        return self.variable(token)

    def function(self, name: str) -> Quantity:
        base = None
        if self.peek() == "_":
            self.take()
            base = self.group().plain()
        argument = self.power().plain()
        return Quantity(math.log(argument, base) if base else FUNCTIONS[name](argument))

    def variable(self, token: str) -> Quantity:
        name = token
        if self.peek() == "_":
            self.take()
            name += "_" + self.subscript()
        if name not in self.bindings:
            raise Symbolic(f"{name} has no value")
        return Quantity(self.bindings[name], None)

    def subscript(self) -> str:
        if self.peek() != "{":
            return self.take()
        self.take()
        parts = []
        while self.peek() != "}":
            parts.append(self.take())
        self.take("}")
        return "{" + "".join(parts) + "}"
