"""Units: what one of each is worth in base units, and what it measures.

Texts, formulas and definitions are read with `unit_of`. Names carry their unit as this house writes them:
`dimension_of_name("bytes_per_second")` is that of B/s. A thing that is counted (tokens, parameters) is a
plain number, so tokens/s measure 1/s.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# (base, exponent), sorted by base: (("B", 1), ("s", -1)) is bytes per second, () a plain number.
Dimension = tuple[tuple[str, int], ...]

WORDS = {
    "dozen": 12.0,
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
DECIMAL = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
SMALL = {"": 1.0, "m": 1e-3, "µ": 1e-6, "n": 1e-9}
SPELLED = {
    **{"kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15},
    **{"kibi": 2.0**10, "mebi": 2.0**20, "gibi": 2.0**30, "tebi": 2.0**40},
    **{"": 1.0, "milli": 1e-3, "micro": 1e-6, "nano": 1e-9},
}
SPANS = {"minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}

# Looks like a unit; if it is none of ours, its scale is unknown, and 1 would be a guess.
UNIT_LIKE = re.compile(r"^[kKMGTPEmµn]?i?(?:B|b|Bps|bps|FLOPS?|flops?|OPS|ops|[Hh]z)s?(?:/\w+)?$")
COUNTED = re.compile(r"(?!kilo|mega|giga|tera|peta)[^\W\d_]+")  # tokens, but no kilotokens
# Words that change what stands before them.
SHARES = frozenset({"share", "fraction", "ratio", "over"})  # names that say a plain number
CHANGING = frozenset({"squared", "cubed", "percent", "per", "half", "halves", *WORDS})


@dataclass(frozen=True)
class Unit:
    """What one is worth in base units (bytes, operations, seconds, watts), and what it measures."""

    scale: float = 1.0
    dimension: Dimension = ()


def _units() -> dict[str, Unit]:
    byte, bit, operation, watt = ((("B", 1),), (("bit", 1),), (("op", 1),), (("W", 1),))
    second, hertz, joule = ((("s", 1),), (("s", -1),), (("W", 1), ("s", 1)))
    bases: list[tuple[Mapping[str, float], dict[str, Dimension]]] = [
        (
            DECIMAL | BINARY,
            {"B": byte, "bit": bit, "FLOP": operation, "op": operation, "Hz": hertz, "W": watt},
        ),
        (SMALL, {"s": second, "W": watt, "J": joule}),
        (
            SPELLED,
            {"byte": byte, "bit": bit, "second": second, "watt": watt, "operation": operation},
        ),
        (SPANS, {"": second}),
    ]
    found = {"%": Unit(1e-2), "percent": Unit(1e-2), "h": Unit(3600.0, second)}
    for prefixes, named in bases:
        for base, dimension in named.items():
            for prefix, scale in prefixes.items():
                found[prefix + base] = Unit(scale, dimension)
                if prefixes in (SPELLED, SPANS):
                    found[f"{prefix}{base}s"] = Unit(scale, dimension)
    return found


UNITS = _units()


def unit_of(text: str) -> Unit | None:
    """The unit "GB/s", "tokens/ms" or "B per parameter"; None for one whose worth is not known.

    A word that is none stands for what is counted.
    """
    unit = Unit()
    for index, part in enumerate(re.split(r"/|\s+per\s+", text.strip())):
        one = UNITS.get(part) or (Unit(WORDS[part]) if part in WORDS else None)
        if one is None and part != "1" and (UNIT_LIKE.match(part) or not COUNTED.fullmatch(part)):
            return None
        one = one or Unit()
        scale = unit.scale / one.scale if index else one.scale
        unit = Unit(scale, times(unit.dimension, one.dimension, -1 if index else 1))
    return unit


def times(left: Dimension, right: Dimension, power: int = 1) -> Dimension:
    """What a product measures: of `left` and of `right` to some power."""
    found = dict(left)
    for base, exponent in right:
        found[base] = found.get(base, 0) + power * exponent
    return tuple(sorted((base, exponent) for base, exponent in found.items() if exponent))


def spelled(dimension: Dimension) -> str:
    """For messages: "B/s", "plain number"."""
    above = [f"{b}^{e}" if e > 1 else b for b, e in dimension if e > 0]
    below = [f"{b}^{-e}" if e < -1 else b for b, e in dimension if e < 0]
    if not dimension:
        return "a plain number"
    return "/".join([" ".join(above) or "1", *below])


def dimension_of_name(name: str, declared: Mapping[str, str]) -> Dimension | None:
    """What a field or function measures, by what is declared or its own name; None where neither says.

    `kept_bytes` are bytes, `tokens_per_second` 1/s, `bytes_per_hidden` bytes, `share_of_x` a number.
    """
    if name in declared:
        unit = unit_of(declared[name]) if declared[name] else Unit()
        assert unit is not None, f"no unit is called {declared[name]}"
        return unit.dimension
    above, *below = (part.split("_") for part in name.split("_per_"))
    if not SHARES.isdisjoint(above):
        return ()
    first = above[0] if above[0] in UNITS and above[0].endswith("s") else above[-1]
    parts = [first, *(part[0] for part in below)]
    if not any(part in UNITS and part.islower() and len(part) > 2 for part in parts):
        return None
    found: Dimension = ()
    for index, part in enumerate(parts):
        found = times(found, UNITS.get(part, Unit()).dimension, -1 if index else 1)
    return found
