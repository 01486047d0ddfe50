"""Collectives of one step of tensor parallelism, three ways to write it."""

from scripts.experiments.parallelism_data.tables import OFF_BY, ranks_of, summed
from scripts.tables.table import Column, Table, Values

WAYS = {
    "written_out": "written out",
    "parallelize_module": "by PyTorch",
    "sequence_parallel": "tokens split too",
}
COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather")
FORMULA = (
    "record('{model}.layers') * tensor_parallel_bytes("
    "tokens=record('{model}.sequence_length'), sequences=record('{model}.sequences'), "
    "width=record('{model}.hidden_size'), "
    "bytes_per_element=record('{model}.bytes_per_element'), ranks={ranks})"
)


def tensor(values: Values) -> Table:
    """Each number of ranks and way: its collectives, and what a rank sends."""
    table = Table(
        "device",
        Column("ranks", record="{name}: ranks_{ranks}.ranks"),
        "split",
        *(f"{each.replace('_', '-')}s" for each in COLLECTIVES),
        Column("a rank sends (bytes)", calc="{sent}", decimals=0),
        Column("formula (bytes)", calc=FORMULA, decimals=0),
        OFF_BY,
        values=values,
    )
    for name, record in table.each("parallelism-tensor"):
        for ranks in ranks_of(record):
            for way, label in WAYS.items():
                place = f"{name}: ranks_{ranks}.{way}"
                transfers = record.results[f"ranks_{ranks}"][way]["transfers"]
                kinds = [[kind for kind in transfers if each in kind] for each in COLLECTIVES]
                table.row(
                    label,
                    *(
                        table.number(calc=summed(place, found, "count")) if found else ""
                        for found in kinds
                    ),
                    name=name,
                    model=f"{name}: model",
                    ranks=ranks,
                    place=place,
                    sent=summed(place, transfers, "bytes_sent"),
                )
    return table


TABLES = {"parallelism-tensor": tensor}
