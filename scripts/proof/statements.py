r"""What a formula states: `statements(tex)` are its chains of sides and relations, `holds` judges one."""

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from scripts.proof.tex import Side, Symbolic, Undefined, evaluate_side

RELATION = re.compile(r"\\(?:approx|leq?|geq?|ll|gg)(?![A-Za-z])|[=<>]")
EQUALITIES = ("=", r"\approx")
DIRECTIONS = {r"\approx": "=", r"\ll": "<", r"\gg": ">"}
DIRECTIONS |= {r"\le": "<=", r"\leq": "<=", r"\ge": ">=", r"\geq": ">="}
STATEMENT = re.compile(r"\\\\|\\q?quad(?![A-Za-z])|,\s|;\s")


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


def holds(statement: Statement, bindings: Mapping[str, float] | None = None) -> bool:
    """Whether each pair of sides that can be evaluated is as the relations between them say.

    A statement with a side that is undefined is false. Raises Symbolic where nothing can be judged.
    """
    sides: list[Side | None] = []
    for tex in statement.sides:
        try:
            sides.append(evaluate_side(tex, bindings))
        except Undefined:
            return False
        except Symbolic:
            sides.append(None)
    known = [index for index, side in enumerate(sides) if side is not None]
    if len(known) < 2:
        raise Symbolic(f"of {' '.join(statement.sides)} no two sides can be evaluated")
    for first, second in itertools.pairwise(known):
        left, right = sides[first], sides[second]
        assert left is not None
        assert right is not None
        if None not in (left.dimension, right.dimension) and left.dimension != right.dimension:
            return False
        between = [DIRECTIONS.get(each, each) for each in statement.relations[first:second]]
        if set(between) <= {"="}:
            # Against what is exact among the sides said to be equal: roundings must not add up.
            run = [side for side in _run(sides, statement.relations, first) if side]
            exact = next((side for side in run if not side.literal), left)
            if not (exact is left or _equal(exact, left)) or not _equal(exact, right):
                return False
        elif set(between) <= {"=", "<", "<="} and "<" in between:
            if not left.value < right.value:
                return False
        elif set(between) <= {"=", "<="}:
            if not left.value <= right.value * (1 + 1e-12):
                return False
        elif set(between) <= {"=", ">", ">="} and ">" in between:
            if not left.value > right.value:
                return False
        elif set(between) <= {"=", ">="} and not left.value >= right.value * (1 - 1e-12):
            return False
    return True


def _run(sides: list[Side | None], relations: tuple[str, ...], index: int) -> list[Side | None]:
    first = last = index
    while first > 0 and relations[first - 1] in EQUALITIES:
        first -= 1
    while last < len(relations) and relations[last] in EQUALITIES:
        last += 1
    return sides[first : last + 1]


def _equal(left: Side, right: Side) -> bool:
    if right.literal and right.literal.agrees(left.value):
        return True
    if left.literal and left.literal.agrees(right.value):
        return True
    if left.literal or right.literal:
        return left.value == right.value
    return math.isclose(left.value, right.value, rel_tol=1e-9)
