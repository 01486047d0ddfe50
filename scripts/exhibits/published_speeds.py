"""Decoding speeds that others published, beside the ceiling of what a token has to read.

`read` of a row is what a token reads: with gpt-fast and torchao every matrix, the output head too, as
torchao's column of model sizes agrees; both store a 16-bit scale and a 16-bit zero point with each group
of four-bit weights. llama.cpp keeps the head of a Q4_0 file in Q6_K, as that format says. gpt-fast's card
was limited to 330 W.
"""

from functools import partial
from pathlib import Path

from scripts.core.files import read_rows
from scripts.tables.table import Column, Table, Values

ROOT = Path(__file__).parents[2]
SPEEDS = read_rows(ROOT / "docs/data/published-speeds.csv")


def ceiling(speed: dict[str, str]) -> str:
    """Of a row, the tokens/s that its card's memory allows, as an expression."""
    return f"decode_ceiling({speed['card']}.memory_bandwidth, {speed['read']})"


def _speeds(name: str, values: Values) -> Table:
    table = Table(
        *("card", "model", "weights"),
        Column("measured, tokens/s", cite="{work} = {tokens_per_second}"),
        Column("ceiling", calc="{ceiling}", decimals=0),
        Column("share", calc="{tokens_per_second} / {ceiling}", decimals=2),
        values=values,
    )
    for speed in (each for each in SPEEDS if each["table"] == name):
        words = (speed["called"], speed["model"], speed["weights"])
        said = {key: speed[key] for key in ("work", "tokens_per_second")}
        table.row(*words, **said, ceiling=ceiling(speed))
    return table


TABLES = {name: partial(_speeds, name) for name in dict.fromkeys(s["table"] for s in SPEEDS)}
