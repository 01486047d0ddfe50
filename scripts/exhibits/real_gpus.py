"""Which experiments have run on a real GPU, by the records that are published."""

from scripts import experiments
from scripts.records.record import Record
from scripts.tables.table import Table, Values


def real_gpus(values: Values) -> Table:
    """A row for each experiment that can be measured: the devices whose records are published."""
    table = Table("experiment", "measured on a GPU", "stated by others", "on a CPU", values=values)
    for name in experiments.names():
        if not experiments.module_file(name, "measure"):
            continue
        of = (name, f"{name}{experiments.RANKS}")
        found = [record for record in values.published.values() if record.experiment in of]
        ours = [record for record in found if record.provenance["kind"] == "measured"]
        on_gpus = [record for record in ours if record.device["kind"] != "cpu"]
        table.row(
            f"`{name}`",
            _devices(on_gpus) or "not yet",
            _devices([record for record in found if record not in ours]),
            _devices([record for record in ours if record not in on_gpus]),
        )
    return table


def _devices(records: list[Record]) -> str:
    return ", ".join(sorted({f"`{record.folder}`" for record in records}))


TABLES = {"real-gpus": real_gpus}
