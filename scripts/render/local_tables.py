"""This machine's rows of each table of measurements, for the tabs beside the published devices'."""

import re
from collections.abc import Mapping

from scripts.core.faults import BadInput
from scripts.records.record import Record
from scripts.render import (
    activation_lab,
    bandwidth,
    parallelism_lab,
    quantization_lab,
    speed_lab,
    training_lab,
    training_memory,
)

MEASURED = (
    *(*bandwidth.MEASURED, *speed_lab.MEASURED, *training_memory.MEASURED),
    *(*training_lab.MEASURED, *activation_lab.MEASURED, *parallelism_lab.MEASURED),
    *quantization_lab.MEASURED,
)
PROVEN = re.compile(r"\[([^\[\]]+)\]\[t-[^\[\]]+\]")


def render(local: Mapping[str, Record]) -> dict[str, bytes]:
    """The tables by path under docs/, without proofs: the ledger holds published records alone.

    A table is left out where these records, of another preset or version, lack what it shows.
    """
    records = {record.key: record for record in local.values()}
    made = {}
    for measured in MEASURED:
        try:
            table = measured(records)
        except (BadInput, KeyError):
            continue
        if table:
            rows = table.markdown().partition("\n\n")[0]
            made[f"tables/local/{table.name}.md"] = (PROVEN.sub(r"\1", rows) + "\n").encode()
    return made
