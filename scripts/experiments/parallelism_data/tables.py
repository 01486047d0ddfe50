"""What ranks of data parallelism send and hold, beside the formulas."""

from collections.abc import Iterable
from typing import Any

from scripts.records.record import Record
from scripts.tables.table import Column, Table, Values

STAGES = ("nothing", "optimizer", "and gradients", "and weights")
WAYS = {"ddp": ("DDP", ""), "fsdp": ("FSDP2", "3 / 2 * ")}

# How far gradients are from one process's, in billionths of their norm.
OFF_BY = Column(
    "gradients off by (billionths)",
    calc="record('{place}.gradient_difference') * 1e9",
    decimals=0,
)


def ranks_of(record: Record) -> list[int]:
    """The numbers of ranks that a record holds, those that have someone to talk to."""
    names = (name.removeprefix("ranks_") for name in record.results if name.startswith("ranks_"))
    return sorted(int(name) for name in names if name != "1")


def summed(place: str, transfers: Iterable[str], field: str) -> str:
    """An expression for the total of a field over kinds of transfers."""
    return " + ".join(f"record('{place}.transfers.{kind}.{field}')" for kind in sorted(transfers))


def sent(values: Values) -> Table:
    """Bytes a rank sends in a step of data parallelism, by formula and on the wire."""
    look: dict[str, Any] = {"unit": "MB", "decimals": 3}
    formula = "{factor}all_reduce_bytes({size}, {ranks})"
    table = Table(
        "device",
        Column("ranks", record="{name}: ranks_{ranks}.ranks"),
        "split",
        Column("gradients or weights (MB)", calc="{size}", **look),
        Column("formula (MB)", calc=formula, **look),
        Column("counted (MB)", calc="{counted}", **look),
        Column("on the wire (MB)", record="{wire}.wire_bytes", **look),
        Column("of that, headers (bytes)", record="{wire}.header_bytes", decimals=0),
        OFF_BY,
        values=values,
    )
    for name, record in table.each("parallelism-data"):
        for ranks in ranks_of(record):
            for way, (label, factor) in WAYS.items():
                place = f"{name}: ranks_{ranks}.{way}"
                step = record.results[f"ranks_{ranks}"][way]
                # The kernel counts what gloo sends, and nothing of NCCL's.
                wire = {"wire": place} if "wire_bytes" in step else {}
                table.row(
                    label,
                    name=name,
                    ranks=ranks,
                    size=f"4 * record('{name}: model.parameters')",
                    factor=factor,
                    place=place,
                    counted=summed(place, step["transfers"], "bytes_sent"),
                    **wire,
                )
    return table


def held(values: Values) -> Table:
    """Bytes per parameter that a rank holds between steps and in a forward pass, by ZeRO's stage."""
    each = "({}) / record('{{name}}: model.parameters')"
    formula = "zero_bytes_per_parameter(stage={stage}, copies={ranks})"
    table = Table(
        *("device", "split by ZeRO"),
        Column("ranks", record="{name}: ranks_{ranks}.ranks"),
        Column("formula (bytes per parameter)", calc=formula, decimals=2),
        Column("held between steps", calc=each.format("{state}"), decimals=2),
        Column("weights gathered whole", calc=each.format("{gathered}"), decimals=2),
        Column(
            "buffer and activations",
            calc=each.format("{whole} - {state} - {gathered}"),
            decimals=2,
        ),
        Column("held in a forward pass", calc=each.format("{whole}"), decimals=2),
        values=values,
    )
    parts = {"state": "between_steps", "gathered": "gathered", "whole": "in_forward"}
    for name, record in table.each("parallelism-data"):
        for stage, split in enumerate(STAGES):
            for ranks in (1, *ranks_of(record)):
                memory = f"{name}: ranks_{ranks}.memory.stage_{stage}"
                found = {p: f"record('{memory}.{field}_bytes')" for p, field in parts.items()}
                table.row(split, name=name, ranks=ranks, stage=stage, **found)
    return table


TABLES = {"parallelism-sent": sent, "parallelism-held": held}
