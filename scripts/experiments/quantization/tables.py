"""What each bit costs: a large model by a lesson's account, and one that ships with the site."""

from typing import Any

from scripts.records.record import Record
from scripts.tables.table import Column, Number, Part, Table, Values

BITS = (8, 6, 5, 4, 3, 2)
GROUP = 32
# A table's head has no room for proofs, so it says its numbers in words.
HEADS = {
    "per_group_32": "one scale per thirty-two weights",
    "per_group_128": "per hundred and twenty-eight",
    "per_row": "per row",
    "per_matrix": "per matrix",
}


def reported(values: Values) -> Table:
    """The loss of Pythia-1.4B as a lesson states it, with one scale per group and per matrix."""
    table = Table(
        *("device", "bits", "bits with the group's scale"),
        *("loss, one scale per group", "more than FP16"),
        *("loss, one scale per matrix", "more than FP16"),
        values=values,
    )
    for key, record in table.each("quantization"):
        if not is_reported(record):
            continue
        baseline = f"{key}: loss.per_group.16"
        rest: list[Part] = [table.number(record=f"{key}: loss.per_matrix.16"), ""]
        table.row("FP16", table.number(cite="FP16.bits"), table.number(record=baseline), "", *rest)
        for bits in BITS:
            cells: list[Number] = []
            for scales in ("per_group", "per_matrix"):
                field = f"{key}: loss.{scales}.{bits}"
                loss = table.number(record=field)
                more = f"record('{field}') - record('{baseline}')"
                decimals = len(loss.digits.partition(".")[2])
                cells += [loss, table.number(calc=more, decimals=decimals)]
            width = f"bits_per_weight({bits}, {GROUP})"
            table.row(_bits(table, bits), table.number(calc=width), *cells)
    return table


def _bits(table: Table, bits: int) -> Number:
    return table.number(calc=f"bits_per_weight({bits}, {GROUP}, scale_bits=0)")


def is_reported(record: Record) -> bool:
    """Whether a record holds what others measured."""
    return record.provenance["kind"] == "transcribed"


def is_embedded(record: Record) -> bool:
    """Whether a record is of the model that ships with the site."""
    return bool(record.parameters.get("subject", {}).get("model") == "embedded")


def embedded(values: Values) -> Table:
    """The loss of the embedded model for each number of bits and each granularity."""
    return losses(values, "quantization")


def losses(values: Values, experiment: str) -> Table:
    """Losses for each number of bits, with a column for each granularity that some device has."""
    swept = {
        key: record.results["loss"]
        for key, record in values.published.items()
        if record.experiment == experiment
        and "loss" in record.results
        and (is_embedded(record) if experiment == "quantization" else True)
    }
    scales = [each for each in HEADS if any(each in loss for loss in swept.values())]
    table = Table("device", "bits", *(HEADS[each] for each in scales), values=values)
    for key, _ in table.each(experiment):
        found: dict[str, Any] = swept.get(key, {})
        if not found:
            continue
        first = next(iter(found))
        unrounded = table.number(record=f"{key}: loss.{first}.16", decimals=4)
        table.row("unrounded", *[unrounded] * len(scales))
        for bits in (each for each in BITS if str(each) in found[first]):
            fields = {each: f"{key}: loss.{each}.{bits}" for each in scales}
            table.row(
                _bits(table, bits),
                *(
                    table.number(record=field, decimals=4) if each in found else ""
                    for each, field in fields.items()
                ),
            )
    return table


def matrices(values: Values) -> Table:
    """The relative error of a matrix and its share of weights at zero, of the middle matrix."""
    of = ("per_group_32", "per_matrix")
    errors = {each: f"{{place}}.{each}.{{bits}}.relative_error.median" for each in of}
    zeros = {each: f"{{place}}.{each}.{{bits}}.share_at_zero.median" for each in of}
    table = Table(
        "device",
        Column("bits", calc="bits_per_weight({bits}, {group}, scale_bits=0)"),
        *(Column(f"relative error, {HEADS[e]}", record=f, decimals=3) for e, f in errors.items()),
        *(
            Column(f"weights at zero, {HEADS[each]}", record=field, suffix="%", decimals=0)
            for each, field in zeros.items()
        ),
        values=values,
    )
    for key, record in table.each("quantization"):
        if is_embedded(record):
            for bits in BITS:
                table.row(place=f"{key}: matrix", bits=bits, group=GROUP)
    return table


TABLES = {
    "quantization": reported,
    "quantization-lab": embedded,
    "quantization-matrices": matrices,
}
