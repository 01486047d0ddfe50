"""What was measured for this handbook, beside its prediction."""

import math
from pathlib import Path
from typing import Any

from scripts.core.files import read_rows
from scripts.records.record import fields
from scripts.tables.table import Column, Table, Values

ROOT = Path(__file__).parents[2]
FILE = "docs/data/own-measurements.csv"  # an experiment is one of a device, or that of any


def own_measurements(values: Values) -> Table:
    """A row for each device that a prediction was measured on."""
    error = "({predicted}) / record('{measured}') - 1"
    table = Table(
        *("what", "device", "predicted", "measured"),
        Column("error", calc=error, suffix="%", decimals=_decimals),
        values=values,
    )
    for row in read_rows(ROOT / FILE):
        look: dict[str, Any] = {"suffix": row["unit"], "decimals": int(row["decimals"])}
        for key, record in values.published.items():
            known = row["measured"] in set(fields(record.results))
            if known and row["experiment"] in (key, record.experiment):
                predicted = row["predicted"].format(key=key)
                measured = f"{key}: {row['measured']}"
                table.row(
                    *(row["what"], f"`{record.folder}`"),
                    table.number(calc=predicted, **look),
                    table.number(record=measured, **look),
                    predicted=predicted,
                    measured=measured,
                )
    return table


def _decimals(percent: float) -> int:
    """One, or as many as a smaller error needs to show that it is not none."""
    percent = abs(percent)
    return 1 if percent == 0 or percent >= 0.05 else math.ceil(-math.log10(percent))


TABLES = {"own-measurements": own_measurements}
