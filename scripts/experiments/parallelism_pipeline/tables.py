"""Idle time of torch's schedules, simulated and measured, and what the first rank keeps."""

from scripts.experiments.parallelism_data.tables import OFF_BY, ranks_of
from scripts.experiments.parallelism_pipeline.schedules import CHUNKS, expression
from scripts.tables.table import Column, Table, Values

SCHEDULES = {
    "gpipe": "GPipe",
    "one_forward_one_backward": "1F1B",
    "interleaved": "interleaved 1F1B",
    "zero_bubble": "zero-bubble",
}


def schedules(values: Values) -> Table:
    """Each schedule at each number of ranks and micro-batches."""
    idle, kept = "idle_fraction(play({orders}))", "peak_in_flight({orders}[0]) / {chunks}"
    table = Table(
        *("device", "schedule"),
        Column("ranks", record="{place}.ranks"),
        Column("micro-batches", record="{place}.micro_batches"),
        Column("idle, simulated (%)", calc=idle, unit="%", decimals=1),
        Column("idle, measured (%)", record="{place}.idle_fraction", unit="%", decimals=1),
        Column("kept by the first rank (micro-batches)", calc=kept, decimals=1),
        Column("sends", record="{place}.sends"),
        OFF_BY,
        values=values,
    )
    for name, record in table.each("parallelism-pipeline"):
        for ranks in ranks_of(record):
            for schedule, label in SCHEDULES.items():
                cases = record.results[f"ranks_{ranks}"][schedule]
                for count in sorted(int(case.removeprefix("micro_batches_")) for case in cases):
                    table.row(
                        label,
                        place=f"{name}: ranks_{ranks}.{schedule}.micro_batches_{count}",
                        orders=expression(schedule, ranks, count),
                        chunks=CHUNKS.get(schedule, 1),
                    )
    return table


TABLES = {"parallelism-schedules": schedules}
