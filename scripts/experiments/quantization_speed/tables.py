"""How fast a matrix times one vector is in 16, 8 and 4 bits."""

from scripts.tables.table import Column, Table, Values

TITLES = {
    "fp32": "FP32",
    "fp16": "FP16",
    "bf16": "BF16",
    "int8": "eight bits, one scale per row",
    "int4": "four bits, groups of thirty-two",
}


def speed(values: Values) -> Table:
    """Each kind of product that a device has a kernel for."""
    table = Table(
        *("device", "weights in"),
        Column("bits per weight", record="{place}.bits_per_weight", decimals=2),
        Column("time, ms", record="{place}.seconds", unit="ms", decimals=2),
        Column("weights read, GB/s", record="{place}.bytes_per_second", unit="GB/s", decimals=1),
        Column("times as fast as sixteen bits", record="{faster}.speedup_over_16_bits", decimals=2),
        values=values,
    )
    for key, record in table.each("quantization-speed"):
        for kind, title in TITLES.items():
            found, place = record.results.get(kind, {}), f"{key}: {kind}"
            if "seconds" in found:
                compared = {"faster": place} if "speedup_over_16_bits" in found else {}
                table.row(title, place=place, **compared)
    return table


TABLES = {"quantization-speed": speed}
