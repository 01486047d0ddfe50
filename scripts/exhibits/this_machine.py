"""The page "This machine": the local records beside the published ones of the same experiment.

Its numbers are those of one reader's machine, so they are no part of the site's ledger.
"""

import re
from collections.abc import Mapping

from scripts import experiments
from scripts.experiments import RANKS
from scripts.records.record import Record, fields, lookup

PAGE = "tables/local/this-machine.md"

LONGEST = 12  # rows; a longer table is folded
SUMMARY = re.compile(r"\.(count|median|lower_quartile|upper_quartile)$")

UNITS = {
    "bytes_per_second": (("GB/s", 1e9),),
    "bytes_sent_per_second": (("GB/s", 1e9),),
    "operations_per_second": (("TFLOP/s", 1e12), ("GFLOP/s", 1e9)),
    "tokens_per_second": (("tokens/s", 1.0),),
    "seconds": (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)),
    "bytes": (("GB", 1e9), ("MB", 1e6), ("bytes", 1.0)),
}

NONE_YET = (
    "Nothing has been measured on this machine yet. `python scripts/build.py` measures what it "
    "can, and this page then shows it.\n"
)


def render(local: Mapping[str, Record], published: Mapping[str, Record]) -> dict[str, bytes]:
    """The page's content by path under docs/; a sentence when there is nothing to show yet."""
    parts = [_section(record, published) for _, record in sorted(local.items())]
    return {PAGE: ("\n".join(parts) or NONE_YET).encode()}


def _section(record: Record, published: Mapping[str, Record]) -> str:
    others = [
        other for _, other in sorted(published.items()) if other.experiment == record.experiment
    ]
    pattern = re.compile(_shown_of(record.experiment))
    names = [
        name
        for name in fields(record.results)
        if pattern.fullmatch(name) and not SUMMARY.search(name)
    ]
    heads = ["result", "this machine", *(f"`{other.folder}`" for other in others)]
    rows = [
        [f"`{name}`", shown(name, lookup(record, name)), *(_value(other, name) for other in others)]
        for name in names
    ]
    lines = [f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows]]
    table = "\n".join(lines) + "\n"
    if len(rows) > LONGEST:
        heading = f"<summary>All {len(rows)} results</summary>"
        table = f"<details markdown>\n{heading}\n\n{table}\n</details>\n"
    return f"## {record.experiment}\n\n{_origin(record)}\n\n{table}"


def _shown_of(experiment: str) -> str:
    """Of an experiment with many results, a pattern of those that are worth comparing."""
    if experiment.endswith(RANKS):
        own = _shown_of(experiment.removesuffix(RANKS))
        return rf"ranks\.\d+\.({own})|all_reduce\..*"
    return str(getattr(experiments.part(experiment, "limits"), "SHOWN", ".*"))


def _origin(record: Record) -> str:
    device, software = record.device, record.software
    memory = device["memory_bytes"] / 2**30
    return (
        f"{device['name']}, {device['cores']} cores, {memory:.1f} GiB of memory; "
        f"torch {software['torch']}, Python {software['python']}; measured {record.when} with "
        f"`{record.provenance.get('command', '')}`."
    )


def _value(record: Record, name: str) -> str:
    return shown(name, lookup(record, name)) if name in set(fields(record.results)) else ""


def shown(name: str, value: object) -> str:
    """A value as a reader reads it, in the unit that its field's name says."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    for suffix, units in UNITS.items():
        if re.search(rf"(^|[._]){suffix}$", name):
            unit, scale = next((u for u in units if abs(value) >= u[1]), units[-1])
            return (
                f"{value / scale:,.3g} {unit}"
                if value / scale < 1000
                else (f"{value / scale:,.0f} {unit}")
            )
    return f"{value:,.6g}"
