"""The Triton kernels of each device: bytes by formula and counted, and how far they are from PyTorch."""

from scripts.experiments.tiled_kernels.limits import KERNELS
from scripts.tables.table import Column, Table, Values

NAMES = {"matmul": "matmul", "softmax": "softmax, online", "attention": "attention in one kernel"}


def kernels(values: Values) -> Table:
    """A row for each kernel that ran in the interpreter."""
    table = Table(
        "kernel",
        Column("bytes by formula", record="{place}.bytes"),
        Column("bytes counted", record="{place}.counted_bytes"),
        Column("farthest from PyTorch", record="{place}.difference", decimals=5),
        values=values,
    )
    for key, record in values.published.items():
        if key.endswith("/tiled-kernels"):
            for name in KERNELS:
                if "counted_bytes" in record.results.get(name, {}):
                    table.row(NAMES.get(name, "INT4 matrix times vector"), place=f"{key}: {name}")
    return table


TABLES = {"tiled-kernels": kernels}
