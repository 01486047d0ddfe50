"""The accelerators that the handbook knows, each a row of docs/data/hardware/cards.csv.

Expressions name one as `h100_sxm`; programs also take it from ACCELERATORS by its slug, or ask
`slug_of` for what a driver's name means. Where each figure was read stands in readings.csv, a line
for each place, and documents.csv says what these places are.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from snippets.hardware.accelerator import Accelerator, usable_memory
from snippets.sources import Source

__all__ = ["ACCELERATORS", "Accelerator", "slug_of", "usable_memory"]

DATA = Path(__file__).parents[2] / "docs/data/hardware"
SCALES = {
    "GiB": 2**30,
    "MiB": 2**20,
    "KiB": 2**10,
    "GB/s": 10**9,
    "TFLOP/s": 10**12,
    "Top/s": 10**12,
}
SCALES |= {"W": 1, "MHz": 10**6, "count": 1}
HEADS = ("slug", "name", "called", "kind")


def _read_rows(file: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a table, each with its place. Raises ValueError for one of another length."""
    with (DATA / file).open(encoding="utf-8", newline="") as text:
        reader = csv.DictReader(text, strict=True)
        for row in reader:
            place = f"docs/data/hardware/{file}, line {reader.line_num}"
            if None in row or None in row.values():
                raise ValueError(f"{place} has too few or too many cells: quote those with commas")
            yield place, row


def _worked(text: str) -> Fraction:
    """What a product or quotient of numbers gives, as "1979 / 2". Raises ValueError."""
    first, *others = text.split()
    value = Fraction(first)
    for sign, factor in zip(others[::2], others[1::2], strict=True):
        if sign not in ("*", "/"):
            raise ValueError(f"{sign!r} in {text!r} is neither * nor /")
        value *= Fraction(factor) if sign == "*" else 1 / Fraction(factor)
    return value


def _read_sources() -> dict[tuple[str, str], list[Source]]:
    """The places where each figure of each card was read, by (slug, figure).

    Raises ValueError, naming the line, for one in no document, of no figure or with no number.
    """
    documents = {row["key"]: row for _, row in _read_rows("documents.csv")}
    found = defaultdict(list)
    for place, row in _read_rows("readings.csv"):
        try:
            document = documents[row["document"]]
            value = float(_worked(row["value"]) * SCALES[UNITS[row["figure"]]])
        except (ArithmeticError, KeyError, ValueError) as error:
            raise ValueError(f"{place}: {error!r}: correct it, or add its document") from None
        where = (document["title"], row["words"], document["url"], row["read"])
        source = Source(*where, quoted=document["kind"] != "maker", value=value)
        found[row["slug"], row["figure"]].append(source)
    return found


def _read_accelerators() -> dict[str, Accelerator]:
    """The cards by slug. Raises ValueError, naming the line, for a figure without a source."""
    cards = {}
    sources = _read_sources()
    for place, row in _read_rows("cards.csv"):
        figures: dict[str, Any] = {}
        for figure, unit in UNITS.items():
            if text := row[f"{figure} ({unit})"]:
                value = Fraction(text) * SCALES[unit]
                figures[figure] = (
                    float(value) if "/s" in unit or unit in ("W", "MHz") else int(value)
                )
        lacking = [figure for figure in figures if (row["slug"], figure) not in sources]
        if lacking:
            raise ValueError(f"{place}: say in readings.csv where {', '.join(lacking)} stands")
        firsts = {figure: sources.pop((row["slug"], figure)) for figure in figures}
        cards[row["slug"]] = Accelerator(
            name=row["name"],
            kind=row["kind"],
            sources={
                figure: replace(first, others=tuple(others))
                for figure, (first, *others) in firsts.items()
            },
            **figures,
        )
    if sources:
        raise ValueError(f"docs/data/hardware/readings.csv: cards.csv lacks {next(iter(sources))}")
    return cards


def _short(name: str) -> str:
    """A name without its maker, which older drivers leave out, in small letters."""
    return name.lower().removeprefix("nvidia ").removeprefix("amd ").strip()


def _read_driver_names() -> dict[str, list[str]]:
    """The slugs of the cards that a driver calls by a name."""
    found = defaultdict(list)
    for _, row in _read_rows("cards.csv"):
        for name in row["called"].split("; "):
            found[_short(name)].append(row["slug"])
    return found


def slug_of(name: str, memory: int | None = None) -> str:
    """The slug of the card that a driver calls `name`; of several, that of the nearest memory in bytes,
    the first row where none is given.

    Raises ValueError for a card without a row, saying how to add one.

    >>> slug_of("NVIDIA A100-SXM4-80GB"), slug_of("GeForce RTX 3060")
    ('a100-80gb-sxm', 'rtx-3060')
    """
    found = CALLED.get(_short(name))
    if not name or not found:
        raise ValueError(
            f"no card is called {name!r}: add a row to docs/data/hardware/cards.csv, and to "
            "readings.csv a line for each of its figures"
        )
    if memory is None:
        return found[0]
    return min(found, key=lambda slug: abs(ACCELERATORS[slug].memory - memory))


UNITS: dict[str, str] = {  # of each figure, as the heads of the table say
    figure: unit.rstrip(")")
    for figure, unit in (
        head.split(" (") for head in next(_read_rows("cards.csv"))[1] if head not in HEADS
    )
}
ACCELERATORS: dict[str, Accelerator] = _read_accelerators()
CALLED = _read_driver_names()
globals().update({slug.replace("-", "_"): card for slug, card in ACCELERATORS.items()})


def __getattr__(name: str) -> Accelerator:
    """Says to type checkers what the names of cards are; one without a row is none."""
    raise AttributeError(f"no accelerator is called {name}: docs/data/hardware/cards.csv has all")
