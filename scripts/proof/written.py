"""Numbers as they are written: "3,350 GB/s", "27.7 trillion", "about 39 GB", "81 times", "19%".

A written number says how precise it is by its own digits. To check one, its value is formatted in
exactly that way, and must give exactly those digits.
"""

import math
import re
import unicodedata
from dataclasses import dataclass

from scripts.proof.spelled import read_words, spell
from scripts.proof.units import CHANGING, UNITS, WORDS, Dimension, Unit, unit_of

LETTERS = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
NUMBER = re.compile(
    r"(?P<sign>(?:(?<![\w.])[-+−])?)"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:(?P<over>/\d+)(?![\d.,])|(?P<power>e-?\d+))?"
    r"(?P<letter>[kKMBT](?![\w/]))?"
    r"(?P<word>\s+(?:dozen|hundred|thousand|[mbtr]+illion)\b)?"
    r"(?P<after>\s?%|\s+[A-Za-zµ]+(?:(?:/|\s+per\s+)[A-Za-zµ]+)*)?"
)
SPELLED_WITHIN = 0.1  # "two thirds" is said of what is within a tenth of them


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
    dimension: Dimension | None = None  # what its unit measures; None where it states none
    spelled: float | None = None  # the number, in "thirty-two"

    def format(self, value: float) -> str:
        """`value`, in base units, with the same precision and style as this number."""
        if self.spelled is not None:
            return spell(round(value / self.scale))
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
        return (
            self.spelled is None
            and value != 0
            and not re.search(r"[1-9]", self.format(value).partition("e")[0])
        )

    def matches(self, value: float) -> bool:
        """Whether `value` (base units), formatted like this number, gives these very digits."""
        if self.spelled is not None:
            if self.spelled == int(self.spelled) and self.spelled < 100:
                return round(value / self.scale) == self.spelled
            return math.isclose(value / self.scale, self.spelled, rel_tol=SPELLED_WITHIN)
        if self.over:
            return math.isclose(value * self.over, float(self.text.split("/")[0]), rel_tol=1e-9)
        if self.hides(value):
            return False
        return self.format(value).replace(",", "") == self.text.replace(",", "")


def named_unit(unit: str) -> Unit:
    """The unit that a definition names. Raises KeyError for one that is not known."""
    if unit in LETTERS or unit in WORDS:
        return Unit(LETTERS.get(unit) or WORDS[unit])
    if not any(part in UNITS for part in unit.split("/")):
        raise KeyError(unit)
    found = unit_of(unit)
    if found is None:
        raise KeyError(unit)
    return found


def parse_written(text: str, *, unit: str = "") -> Written:
    """The one number in `text`. `unit` says its unit where the text does not ("in GB/s").

    Raises NotWritten when there is none, or more than one, or words that would change it.
    """
    found = [m for m in NUMBER.finditer(text) if not _in_a_word(text, m.start())]
    if not found and (words := read_words(text)):
        return _in_words(text, words, unit)
    if len(found) != 1:
        raise NotWritten(f"{'no number' if not found else 'more than one number'} in {text!r}")
    match = found[0]
    rest = text[match.end("digits") :]
    tail = text[match.end() :] if match.end() > match.end("digits") else text[_end(match) :]
    after = (match["after"] or "").strip()
    if (
        re.match(r"[\d_]|[.,]\d", rest)
        or re.match(r"-?[^\W\d_]|\s?[*_]+\s*[A-Za-z]", tail)
        or any(unicodedata.category(character) == "Cf" for character in text)
        or any(c.isnumeric() and c not in "0123456789" for c in text)
        or _digits_outside_words(text, match)
        or re.search(r"[/%‰^×·*]\s*\w|%", tail.strip("*_"))
    ):
        raise NotWritten(f"a malformed number in {text!r}")
    _refuse_changes(text, tail)
    scale, dimension = _stated(after, unit, text)
    scale *= LETTERS[match["letter"]] if match["letter"] else 1.0
    scale *= WORDS[match["word"].strip()] if match["word"] else 1.0
    digits = match["digits"]
    return Written(
        start=match.start(),
        end=_end(match),
        text=match["sign"] + digits + (match["over"] or "") + (match["power"] or ""),
        decimals=len(digits.partition(".")[2]),
        scale=scale,
        over=int(match["over"][1:]) if match["over"] else 0,
        power=bool(match["power"]),
        dimension=dimension,
    )


def _in_words(text: str, words: tuple[int, int, float], unit: str) -> Written:
    start, end, value = words
    match = re.match(r"\s?%|\s+[A-Za-zµ]+(?:(?:/|\s+per\s+)[A-Za-zµ]+)*", text[end:])
    after = match[0].strip() if match else ""
    if read_words(text[end:]):
        raise NotWritten(f"more than one number in {text!r}")
    scale, dimension = _stated(after, unit, text)
    return Written(start, end, text[start:end], 0, scale, dimension=dimension, spelled=value)


def _refuse_changes(text: str, tail: str) -> None:
    """Refuse words that would change the number, where they are not read as part of it."""
    for word in re.findall(r"[A-Za-zµ/]+", tail):
        if word in CHANGING or (word in UNITS and len(word) > 1 and word != "min"):
            raise NotWritten(f"{word!r} would change the number in {text!r}")


def _stated(after: str, unit: str, text: str) -> tuple[float, Dimension | None]:
    """(scale, dimension) of the unit in a text, and of the one that its definition names."""
    found = unit_of(after) if after else Unit()
    if found is None:
        if not unit:
            raise NotWritten(f"{after} is no unit that is known here, in {text!r}")
        found = Unit()
    parts = re.split(r"/|\s+per\s+", after)
    says = any(part in UNITS for part in parts)
    if not unit:
        return found.scale, found.dimension if says else None
    named = named_unit(unit)
    return (
        found.scale * named.scale,
        found.dimension if says else None if unit in WORDS else named.dimension,
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
