"""The loss of one model under methods that choose their rounding better."""

from scripts.experiments.quantization.tables import is_embedded
from scripts.tables.table import Column, Table, Values

PRODUCTS = {
    "int8": "weights and inputs in eight bits",
    "llm_int8": "the same, outlier columns in sixteen bits: LLM.int8()",
}


def methods(values: Values) -> Table:
    """Each method's bits, loss and error; then products whose inputs are rounded too."""
    more = "record('{place}.loss') - record('{key}: baseline')"
    table = Table(
        *("device", "method"),
        Column("bits per weight", record="{method}.bits_per_weight", decimals=2),
        Column("loss", record="{loss}", decimals=4),
        Column("more than unrounded", calc=more, decimals=4),
        Column("relative error of the weights", record="{method}.relative_error", decimals=3),
        values=values,
    )
    for key, record in table.each("quantization-methods"):
        if not is_embedded(record):
            continue
        table.row("unrounded", loss=f"{key}: baseline")
        for name, method in record.results["method"].items():
            place = f"{key}: method.{name}"
            table.row(method["title"], method=place, place=place, loss=f"{place}.loss", key=key)
        for name, title in PRODUCTS.items():
            place = f"{key}: int8_product.{name}"
            table.row(title, place=place, loss=f"{place}.loss", key=key)
    return table


TABLES = {"quantization-methods": methods}
