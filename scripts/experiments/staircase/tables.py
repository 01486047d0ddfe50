"""Cache and memory of each kind of work, and where the one gives way to the other."""

from typing import Any

from scripts.tables.table import Column, Table, Values

KINDS = ("read", "write", "copy", "triad")


def staircase(values: Values) -> Table:
    """Rates of each device and kind of work, and the knee between them."""
    rate: dict[str, Any] = {"unit": "GB/s", "decimals": 1}
    table = Table(
        *("device", "work"),
        Column("highest, GB/s", record="{place}.highest_bytes_per_second", **rate),
        Column("from memory, GB/s", record="{place}.memory_bytes_per_second", **rate),
        Column("ratio", record="{place}.highest_over_memory", decimals=2),
        Column("cache, MiB", record="{key}: cache_bytes", unit="MiB"),
        "knee found at, MiB",
        values=values,
    )
    for key, record in table.each("staircase"):
        for kind in KINDS:
            found = record.results.get(kind, {})
            if "memory_bytes_per_second" in found:
                place = f"{key}: {kind}"
                knee: dict[str, Any] = {
                    "record": f"{place}.knee_bytes",
                    "unit": "MiB",
                    "decimals": 1,
                }
                known = found["knee_bytes"] is not None
                cell = table.number(**knee) if known else "none found"
                table.row(kind, cell, place=place, key=key)
    return table


TABLES = {"staircase": staircase}
