"""Tokens per second beside the ceiling of the bytes that must be read for them."""

from collections.abc import Iterator
from typing import Any

from scripts.tables.table import Column, Table, Values

BETWEEN = {
    "reading_seconds": "reading",
    "slower_products_seconds": "products slower than reading",
    "dispatch_seconds": "starting operations",
    "rest_seconds": "all else",
}
SHIPPED, PACKED = "as PyTorch ships them", "matrices packed"
PARAMETERS = Column("model, parameters", record="{model}.parameters", suffix="billion", decimals=2)


def decoding(values: Values) -> Table:
    """Each model at each number of sequences."""
    table = Table(
        *("device", PARAMETERS, "products"),
        Column("sequences", record="{place}.sequences"),
        Column("read per step, GB", record="{place}.bytes", unit="GB", decimals=2),
        Column("ceiling, tokens/s", record="{place}.ceiling_tokens_per_second", decimals=1),
        Column("measured, tokens/s", record="{place}.tokens_per_second", decimals=1),
        Column("measured over ceiling", record="{place}.of_ceiling", decimals=2),
        values=values,
    )
    for model, found in _models(table):
        ways = {"plain": (SHIPPED, found["plain"])}
        words = PACKED if found["packed"] else SHIPPED
        ways |= {f"batch.{count}": (words, batch) for count, batch in found["batch"].items()}
        for way, (words, step) in ways.items():
            if "seconds" in step:
                table.row(words, model=model, place=f"{model}.{way}")
    return table


def between(values: Values) -> Table:
    """What a step of one sequence spends its time on."""
    parts = {part: f"{{place}}.between.{part}" for part in BETWEEN}
    table = Table(
        *("device", PARAMETERS, "products"),
        Column("step, ms", record="{place}.seconds", unit="ms", decimals=1),
        *(Column(f"{BETWEEN[p]}, ms", record=r, unit="ms", decimals=1) for p, r in parts.items()),
        values=values,
    )
    for model, found in _models(table):
        if "not_run" not in found["plain"]:
            table.row(SHIPPED, model=model, place=f"{model}.plain")
        if found["packed"] and "not_run" not in found["batch"]["1"]:
            table.row(PACKED, model=model, place=f"{model}.batch.1")
    return table


def _models(table: Table) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place and the results of each model that was run."""
    for key, record in table.each("decoding"):
        for name, found in record.results["models"].items():
            if "batch" in found:
                yield f"{key}: models.{name}", found


TABLES = {"decoding": decoding, "decoding-between": between}
