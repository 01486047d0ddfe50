"""Numbers as they are written: "3,350 GB/s", "27.7 trillion", "about 39 GB", "81 times", "19%".

A written number says how precise it is by its own digits. To check one, its value is formatted in
exactly that way, and must give exactly those digits.
"""

import math
import re
import unicodedata
from dataclasses import dataclass

WORDS = {
    "dozen": 12.0,
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
LETTERS = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
DECIMAL = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
SMALL = {"m": 1e-3, "µ": 1e-6, "n": 1e-9}

UNITS: dict[str, float] = {"%": 1e-2}
for _base in ("B", "B/s", "bit", "bit/s", "FLOP", "FLOP/s", "op", "op/s", "Hz", "W"):
    UNITS |= {prefix + _base: scale for prefix, scale in (DECIMAL | BINARY).items()}
for _base in ("s", "W", "J"):
    UNITS |= {prefix + _base: scale for prefix, scale in ({"": 1.0} | SMALL).items()}

# Looks like a unit; if it is none of ours, its scale is unknown, and 1 would be a guess.
UNIT_LIKE = re.compile(r"^[kKMGTPEmµn]?i?(?:B|b|Bps|bps|FLOPS?|flops?|OPS|ops|[Hh]z)s?(?:/\w+)?$")

NUMBER = re.compile(
    r"(?P<sign>(?:(?<![\w.])[-+−])?)"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:(?P<over>/\d+)(?![\d.,])|(?P<power>e-?\d+))?"
    r"(?P<letter>[kKMBT](?![\w/]))?"
    r"(?P<after>\s?%|\s+[A-Za-zµ]+(?:/[A-Za-zµ]+)?)?"
)


class NotWritten(ValueError):
    """The text does not hold exactly one number."""


@dataclass(frozen=True)
class Written:
    """A number in a text: where it stands, how it is formatted, and what one unit is worth."""

    start: int
    end: int
    text: str
    decimals: int
    scale: float
    over: int = 0  # the denominator, in "1/6"
    power: bool = False  # written like 3.4e38

    def format(self, value: float) -> str:
        """`value`, in base units, with the same precision and style as this number."""
        if self.over:
            return f"{value * self.over:.{self.decimals}f}/{self.over}"
        scaled = value if self.scale == 1 else value / self.scale
        if self.power:
            mantissa, exponent = f"{scaled:.{self.decimals}e}".split("e")
            return f"{mantissa}e{int(exponent)}"
        grouping = "," if "," in self.text or (self.decimals == 0 and abs(scaled) >= 9999.5) else ""
        if isinstance(scaled, int) and self.decimals == 0:
            digits = f"{abs(scaled):{grouping}d}"  # exact, however large
        else:
            digits = f"{abs(scaled):{grouping}.{self.decimals}f}"
        negative = scaled < 0 and float(digits.replace(",", "")) != 0
        minus = "-" if self.text.startswith("-") else "−"
        sign = minus if negative else "+" if self.text.startswith("+") else ""
        return sign + digits

    def hides(self, value: float) -> bool:
        """Whether this number's precision would show a value that is not zero as zero."""
        return value != 0 and not re.search(r"[1-9]", self.format(value).partition("e")[0])

    def matches(self, value: float) -> bool:
        """Whether `value` (base units), formatted like this number, gives these very digits."""
        if self.over:
            return math.isclose(value * self.over, float(self.text.split("/")[0]), rel_tol=1e-9)
        if self.hides(value):
            return False
        return self.format(value).replace(",", "") == self.text.replace(",", "")


def unit_scale(unit: str) -> float:
    """What one `unit` is worth in base units. Raises KeyError for a unit that is not known."""
    return UNITS[unit] if unit in UNITS else LETTERS[unit] if unit in LETTERS else WORDS[unit]


def parse_written(text: str, *, unit: str = "") -> Written:
    """The one number in `text`. `unit` says its unit where the text does not ("in GB/s").

    Raises NotWritten when there is none, or more than one.
    """
    found = [m for m in NUMBER.finditer(text) if not _in_a_word(text, m.start())]
    if len(found) != 1:
        raise NotWritten(f"{'no number' if not found else 'more than one number'} in {text!r}")
    match = found[0]
    rest = text[match.end("digits") :]
    tail = text[match.end() :] if match["letter"] or match["after"] else text[_end(match) :]
    if (
        re.match(r"[\d_]|[.,]\d", rest)
        or re.match(r"-?[^\W\d_]|\s?[*_]+\s*[A-Za-z]", tail)
        or any(unicodedata.category(character) == "Cf" for character in text)
        or _digits_outside_words(text, match)
    ):
        raise NotWritten(f"a malformed number in {text!r}")
    scale = 1.0
    if match["letter"]:
        scale *= LETTERS[match["letter"]]
    after = (match["after"] or "").strip()
    if UNIT_LIKE.match(after) and after not in UNITS and not unit:
        raise NotWritten(f"{after} is no unit that is known here, in {text!r}")
    scale *= UNITS.get(after, WORDS.get(after, 1.0))
    if unit:
        scale *= unit_scale(unit)
    digits = match["digits"]
    return Written(
        start=match.start(),
        end=match.end("power")
        if match["power"]
        else match.end("over" if match["over"] else "digits"),
        text=match["sign"] + digits + (match["over"] or "") + (match["power"] or ""),
        decimals=len(digits.partition(".")[2]),
        scale=scale,
        over=int(match["over"][1:]) if match["over"] else 0,
        power=bool(match["power"]),
    )


def _in_a_word(text: str, start: int) -> bool:
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] in "._")


def _end(match: re.Match[str]) -> int:
    return (
        match.end("power") if match["power"] else match.end("over" if match["over"] else "digits")
    )


def _digits_outside_words(text: str, match: re.Match[str]) -> bool:
    around = text[: match.start()] + " " + text[_end(match) :]
    return any(not re.search(r"[^\W\d_]", word) for word in re.findall(r"\w*\d\w*", around))
