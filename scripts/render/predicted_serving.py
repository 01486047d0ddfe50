"""Predicted beside published times of serving runs: errors by part and kind, the worst, the refused."""

from collections.abc import Iterable, Mapping

from scripts.records.record import Record
from scripts.render.markdown import Table

PARTS = {
    "all": "all that have a prediction",
    "fitted_on": "those fitted on",
    "held_back_models": "two models held back",
    "held_back_cards": "two cards held back",
    "cannot_draft": "models without layers that draft",
    "may_draft": "models with such layers",
}
CONSTANTS = {
    "memory_share": ("share of the memory bandwidth", "%", 1),
    "operation_share": ("share of the operations, with many rows", "%", 1),
    "half_rate_rows": ("rows of a product at which it is half of that", "", 0),
    "launch": ("a kernel of a recorded step", "us", 1),
    "all_reduce": ("an empty exchange between cards", "us", 1),
    "link_share": ("share of the links' bandwidth", "%", 1),
    "unrecorded": ("an operation of a prompt that the host launches", "us", 0),
    "mixed_wait": ("other prompts waited for, where they are mixed in", "%", 1),
}
TIMES = ("tpot", "ttft")
ERRORS = (
    "runs",
    "TPOT: median error",
    "nine in ten within",
    "bias",
    "TTFT: median error",
    "nine in ten within",
    "bias",
)


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The tables by path under docs/, once their record is there."""
    for key, record in records.items():
        if record.experiment == "serving-predictions":
            results = record.results
            parts = [
                (name, f"parts.{part}") for part, name in PARTS.items() if part in results["parts"]
            ]
            kinds = [(f"`{kind['name']}`", f"kinds.{at}") for at, kind in results["kinds"].items()]
            tables = [
                _errors("serving-parts", "runs of", key, parts, records),
                _errors("serving-kinds", "model, card, framework or mode", key, kinds, records),
                _runs("serving-worst", key, results["worst"], "worst", records),
                _runs("serving-above", key, results["above_ceiling"], "above_ceiling", records),
                _refused(key, results["refused"], records),
                _constants(records),
            ]
            return {f"tables/{table.name}.md": table.markdown().encode() for table in tables}
    return {}


def _errors(
    name: str,
    head: str,
    key: str,
    rows: Iterable[tuple[str, str]],
    records: Mapping[str, Record],
) -> Table:
    table = Table(name, head, *ERRORS, records=records)
    for title, place in rows:
        shares = [
            table.number("record", f"{key}: {place}.{time}.{field}", suffix="%", decimals=1)
            for time in TIMES
            for field in ("median", "ninetieth", "bias")
        ]
        table.row(title, table.number("record", f"{key}: {place}.tpot.runs"), *shares)
    return table


def _runs(
    name: str,
    key: str,
    rows: Mapping[str, Mapping[str, object]],
    place: str,
    records: Mapping[str, Record],
) -> Table:
    table = Table(
        name,
        "run",
        "measured, ms",
        "predicted",
        "by memory alone",
        "what may be why",
        records=records,
    )
    for row, run in rows.items():
        times = [
            table.number("record", f"{key}: {place}.{row}.{time}", decimals=1)
            for time in ("tpot", "predicted_tpot", "least_tpot")
        ]
        table.row(f"`{run['run']}`", *times, str(run["why"]))
    return table


def _refused(
    key: str, rows: Mapping[str, Mapping[str, object]], records: Mapping[str, Record]
) -> Table:
    table = Table("serving-refused", "why there is no prediction", "runs", records=records)
    for row, refused in rows.items():
        table.row(f"`{refused['why']}`", table.number("record", f"{key}: refused.{row}.runs"))
    return table


def _constants(records: Mapping[str, Record]) -> Table:
    table = Table(
        "serving-constants",
        "constant",
        "fitted",
        "least",
        "greatest",
        "what it is",
        records=records,
    )
    for name, (meaning, suffix, decimals) in CONSTANTS.items():
        values = [
            table.number("cite", f"{whose}.{name}", suffix=suffix, decimals=decimals)
            for whose in ("SERVING", "SERVING_LEAST", "SERVING_GREATEST")
        ]
        table.row(f"`{name}`", *values, meaning)
    return table
