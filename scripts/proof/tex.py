r"""Evaluate the TeX of a formula: `70\times10^9 \cdot 2\ \text{B} = 140\ \text{GB}`.

A small recursive-descent parser that evaluates as it reads. Letters take their values from the
bindings given; without them a formula that has letters is symbolic and has no value.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from scripts.proof.written import UNITS

TOKEN = re.compile(
    r"(?P<number>\d+(?:(?:\{,\}|,(?=\d{3}))\d{3})*(?:\.\d+)?)"
    r"|(?P<text>\\(?:text|mathrm|operatorname)\{[^{}]*\})"
    r"|(?P<space>\\[,;:! ]|\\q?quad|[\s~&]+|\\(?:left|right|displaystyle|big|Big)(?![A-Za-z]))"
    r"|(?P<command>\\[A-Za-z]+|\\[|{}])"
    r"|(?P<symbol>[A-Za-z()\[\]{}^_+\-*/|!'])"
)
RELATION = re.compile(r"\\(?:approx|leq?|geq?|ll|gg)(?![A-Za-z])|[=<>]")
EQUALITIES = ("=", r"\approx")
STATEMENT = re.compile(r"\\\\|\\q?quad(?![A-Za-z])|,\s|;\s")
FUNCTIONS = {r"\ln": math.log, r"\log": math.log, r"\exp": math.exp}


class Symbolic(ValueError):
    """The formula has letters without a value, or TeX that is no arithmetic."""


class Undefined(ValueError):
    """The formula is arithmetic, but divides by zero or leaves the range of numbers."""


@dataclass(frozen=True)
class Side:
    """One side of a relation. `literal` is set when it is a plain number with its own precision."""

    tex: str
    value: float
    literal: "Literal | None"


@dataclass(frozen=True)
class Literal:
    r"""A number as written, `3.35\times10^{12}\ \text{B/s}`: digits, decimals, worth of one unit."""

    digits: str
    decimals: int
    scale: float

    def agrees(self, value: float) -> bool:
        """Whether `value`, rounded to this literal's precision, gives its digits."""
        return f"{value / self.scale:.{self.decimals}f}" == self.digits


@dataclass(frozen=True)
class Statement:
    """Sides joined by relations: `a = b \\approx c`."""

    sides: tuple[str, ...]
    relations: tuple[str, ...]


def statements(tex: str) -> list[Statement]:
    r"""Split a formula into its statements. A row of `aligned` that starts with a relation goes on."""
    body = re.sub(r"\\(?:begin|end)\{[a-z]+\*?\}", "", tex)
    found: list[Statement] = []
    for row in STATEMENT.split(body):
        relations = RELATION.findall(row)
        sides = [side.replace("&", " ").strip() for side in RELATION.split(row)]
        if found and relations and not sides[0] and sides[1:]:
            last = found.pop()
            found.append(Statement((*last.sides, *sides[1:]), (*last.relations, *relations)))
        elif any(sides):
            found.append(Statement(tuple(sides), tuple(relations)))
    return found


def evaluate_side(tex: str, bindings: Mapping[str, float] | None = None) -> Side:
    """The value of one side in base units. Raises Symbolic or Undefined where it has none."""
    parser = _Parser(tex, bindings or {})
    try:
        value = parser.sum()
    except Symbolic:
        raise
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise Undefined(f"{tex}: {error}") from None
    if parser.tokens:
        raise Symbolic(f"cannot read {parser.tokens[0][1]!r} in {tex!r}")
    if isinstance(value, complex) or not math.isfinite(value):
        raise Undefined(f"{tex} is not a finite number")
    return Side(tex, value, parse_literal(tex))


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
    scale = 10.0**exponent * _unit_value(match["unit"])
    return Literal(digits, len(digits.partition(".")[2]), scale)


def holds(statement: Statement, bindings: Mapping[str, float] | None = None) -> bool:
    """Whether every relation of a statement is true, at the precision written.

    A statement with a side that is undefined is false. Raises Symbolic for one that is no arithmetic.
    """
    try:
        sides = [evaluate_side(side, bindings) for side in statement.sides]
    except Undefined:
        return False
    for index, relation in enumerate(statement.relations):
        left, right = sides[index], sides[index + 1]
        if relation in EQUALITIES:
            # Against what is exact among the sides said to be equal: roundings must not add up.
            exact = next(
                (s for s in _run(sides, statement.relations, index) if not s.literal), left
            )
            if not (exact is left or _equal(exact, left)) or not _equal(exact, right):
                return False
        elif relation in ("<", r"\ll"):
            if not left.value < right.value:
                return False
        elif relation in (">", r"\gg"):
            if not left.value > right.value:
                return False
        elif relation.startswith(r"\l"):
            if not left.value <= right.value * (1 + 1e-12):
                return False
        elif not left.value >= right.value * (1 - 1e-12):
            return False
    return True


def _run(sides: list[Side], relations: tuple[str, ...], index: int) -> list[Side]:
    first = last = index
    while first > 0 and relations[first - 1] in EQUALITIES:
        first -= 1
    while last + 1 < len(relations) and relations[last + 1] in EQUALITIES:
        last += 1
    return sides[first : last + 2]


def _equal(left: Side, right: Side) -> bool:
    if right.literal and right.literal.agrees(left.value):
        return True
    if left.literal and left.literal.agrees(right.value):
        return True
    if left.literal or right.literal:
        return left.value == right.value
    return math.isclose(left.value, right.value, rel_tol=1e-9)


def _unit_value(tex: str) -> float:
    words = re.sub(r"\\(?:text|mathrm|operatorname)\{([^{}]*)\}|\\[,;: ]|~", r"\1 ", tex).split()
    if words == [r"\%"]:
        return UNITS["%"]
    value = 1.0
    for word in words:
        value *= UNITS.get(word, 1.0)
        if word not in UNITS and "/" in word:
            above, _, below = word.partition("/")
            value *= UNITS.get(above, 1.0) / UNITS.get(below, 1.0)
    return value


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

    def sum(self) -> float:
        negative = self.peek() in ("-", "+") and self.take() == "-"
        total = -self.product() if negative else self.product()
        while self.peek() in ("+", "-"):
            total = total + self.product() if self.take() == "+" else total - self.product()
        return total

    def product(self) -> float:
        value = self.power()
        while self.tokens:
            if self.peek() in (r"\times", r"\cdot", "*"):
                self.take()
                value *= self.power()
            elif self.peek() == "/":
                self.take()
                value /= self.power()
            elif self.peek() in ("+", "-", ")", "}", "]", "|", r"\rvert", r"\rceil", r"\rfloor"):
                break
            else:
                value *= self.power()
        return value

    def power(self) -> float:
        base = self.atom()
        while self.peek() == "^":
            self.take()
            exponent = self.group()
            base = base**exponent
        return base

    def group(self) -> float:
        if self.peek() == "{":
            self.take()
            value = self.sum()
            self.take("}")
            return value
        kind, token = self.tokens[0] if self.tokens else ("", "")
        if kind == "number" and len(token) > 1:  # TeX takes one digit: 10^12 is 10^1 2
            self.tokens[0] = (kind, token[1:])
            return float(token[0])
        return self.atom()

    def atom(self) -> float:
        kind = self.tokens[0][0] if self.tokens else ""
        token = self.take()
        if kind == "number":
            return float(token.replace("{,}", "").replace(",", ""))
        if kind == "text":
            return _unit_value(token)
        if token in ("(", "[", "{", r"\lceil", r"\lfloor", r"\lvert"):
            value = self.sum()
            closing = self.take()
            if token == r"\lceil" and closing == r"\rceil":
                return math.ceil(value)
            if token == r"\lfloor" and closing == r"\rfloor":
                return math.floor(value)
            return abs(value) if token == r"\lvert" else value
        if token in (r"\frac", r"\tfrac", r"\dfrac"):
            above = self.group()
            return above / self.group()
        if token == r"\sqrt":
            return math.sqrt(self.group())
        if token in FUNCTIONS:
            return self.function(token)
        return self.variable(token)

    def function(self, name: str) -> float:
        base = None
        if self.peek() == "_":
            self.take()
            base = self.group()
        argument = self.power()
        return math.log(argument, base) if base else FUNCTIONS[name](argument)

    def variable(self, token: str) -> float:
        name = token
        if self.peek() == "_":
            self.take()
            name += "_" + self.subscript()
        if name not in self.bindings:
            raise Symbolic(f"{name} has no value")
        return self.bindings[name]

    def subscript(self) -> str:
        if self.peek() != "{":
            return self.take()
        self.take()
        parts = []
        while self.peek() != "}":
            parts.append(self.take())
        self.take("}")
        return "{" + "".join(parts) + "}"
