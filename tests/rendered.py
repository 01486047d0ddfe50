"""The published records, and the tables and figures that are made of them now; once a process."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import snippets
from scripts import exhibits
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from scripts.records.record import Record, read_all

ROOT = Path(__file__).parents[1]
Records = Mapping[str, Record]


@cache
def published() -> Records:
    return read_all(ROOT)


def values_of(records: Records, bibliography: Mapping[str, Any] | None = None) -> Evaluator:
    return Evaluator(names_of(snippets), records, bibliography or {})


@cache
def tables() -> dict[str, bytes]:
    return tables_of(published())


@cache
def figures() -> dict[str, bytes]:
    return figures_of(published())


def tables_of(records: Records) -> dict[str, bytes]:
    return exhibits.tables(Evaluator(names_of(snippets), records, {}), lambda origin: {})


def figures_of(records: Records, *experiments: str) -> dict[str, bytes]:
    """The figures of some experiments, of all by default."""
    made: dict[str, bytes] = {}
    for experiment, module in exhibits.modules("figures"):
        if not experiments or experiment in experiments:
            own = [each for each in records.values() if each.experiment == experiment]
            made |= exhibits.drawn(module, own)
    return made


def words_of(name: str, records: Records) -> list[list[str]]:
    """The words of a table's cells, row by row."""
    made = dict(make for _, module in exhibits.modules("tables") for make in module.TABLES.items())
    table = made[name](Evaluator(names_of(snippets), records, {}))
    return [[cell.written for cell in row] for row in table.data().rows]
