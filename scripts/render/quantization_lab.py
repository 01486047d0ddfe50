"""Chapter 5: the lab's own measurements: what each bit costs a model that ships with the site."""

from collections.abc import Mapping
from typing import Any

from scripts.records.record import Record
from scripts.render.markdown import Table
from scripts.render.quantization_charts import (
    BITS,
    GROUP,
    histogram,
    loss_by_bits,
    outliers,
    training_curve,
)

# A table's head has no room for proofs, so it says its numbers in words.
HEADS = {
    "per_group_32": "one scale per thirty-two weights",
    "per_group_128": "per hundred and twenty-eight",
    "per_row": "per row",
    "per_matrix": "per matrix",
}
SPEED_TITLES = {
    "fp32": "FP32",
    "fp16": "FP16",
    "bf16": "BF16",
    "int8": "eight bits, one scale per row",
    "int4": "four bits, groups of thirty-two",
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The tables and the figures by path under docs/, of whichever records are published."""
    tables = (table(records) for table in MEASURED)
    found = {f"tables/{table.name}.md": table.markdown().encode() for table in tables if table}
    for sweep in _keys(records, "quantization", model="embedded")[:1]:
        found |= loss_by_bits(records[sweep])
        found |= histogram(records[sweep])
        found |= outliers(records[sweep])
    for training in _keys(records, "embedded-training")[:1]:
        found |= training_curve(records[training])
    return found


def _keys(records: Mapping[str, Record], experiment: str, *, model: str | None = None) -> list[str]:
    """The measured records of an experiment, of all devices, by name."""
    return [
        key
        for key, record in sorted(records.items())
        if record.experiment == experiment
        and record.provenance["kind"] == "measured"
        and model in (None, record.parameters.get("subject", {}).get("model"))
    ]


def _embedded(records: Mapping[str, Record]) -> Table:
    keys = _keys(records, "quantization", model="embedded")
    return _losses("quantization-lab", keys, records)


def _smollm2(records: Mapping[str, Record]) -> Table:
    keys = _keys(records, "quantization-smollm2")
    keys = [key for key in keys if "loss" in records[key].results]
    return _losses("quantization-smollm2", keys, records)


def _losses(name: str, keys: list[str], records: Mapping[str, Record]) -> Table:
    found = {each for key in keys for each in records[key].results["loss"]}
    scales = [each for each in HEADS if each in found]
    table = Table(name, "device", "bits", *(HEADS[each] for each in scales), records=records)
    for key in keys:
        table.of(records[key])
        losses: dict[str, Any] = records[key].results["loss"]
        first = next(iter(losses))
        unrounded = table.number("record", f"{key}: loss.{first}.16", decimals=4)
        table.row("unrounded", *[unrounded] * len(scales))
        for bits in (each for each in BITS if str(each) in losses[first]):
            table.row(
                table.number("calc", f"bits_per_weight({bits}, {GROUP}, scale_bits=0)"),
                *(
                    table.number("record", f"{key}: loss.{each}.{bits}", decimals=4)
                    if each in losses
                    else ""
                    for each in scales
                ),
            )
    return table


def _matrices(records: Mapping[str, Record]) -> Table:
    columns = ("per_group_32", "per_matrix")
    table = Table(
        "quantization-matrices",
        "device",
        "bits",
        *(
            f"{measure}, {HEADS[each]}"
            for measure in ("relative error", "weights at zero")
            for each in columns
        ),
        records=records,
    )
    for key in _keys(records, "quantization", model="embedded"):
        table.of(records[key])
        for bits in BITS:
            table.row(
                table.number("calc", f"bits_per_weight({bits}, {GROUP}, scale_bits=0)"),
                *(
                    table.number(
                        "record", f"{key}: matrix.{each}.{bits}.relative_error.median", decimals=3
                    )
                    for each in columns
                ),
                *(
                    table.number(
                        "record",
                        f"{key}: matrix.{each}.{bits}.share_at_zero.median",
                        suffix="%",
                        decimals=0,
                    )
                    for each in columns
                ),
            )
    return table


def _methods(records: Mapping[str, Record]) -> Table:
    table = Table(
        "quantization-methods",
        "device",
        "method",
        "bits per weight",
        "loss",
        "more than unrounded",
        "relative error of the weights",
        records=records,
    )
    for key in _keys(records, "quantization-methods", model="embedded"):
        table.of(records[key])
        table.row("unrounded", "", table.number("record", f"{key}: baseline", decimals=4), "", "")
        for name, method in records[key].results["method"].items():
            table.row(
                method["title"],
                table.number("record", f"{key}: method.{name}.bits_per_weight", decimals=2),
                table.number("record", f"{key}: method.{name}.loss", decimals=4),
                _more(table, key, f"method.{name}.loss"),
                table.number("record", f"{key}: method.{name}.relative_error", decimals=3),
            )
        for name, title in (
            ("int8", "weights and inputs in eight bits"),
            ("llm_int8", "the same, outlier columns in sixteen bits: LLM.int8()"),
        ):
            field = f"int8_product.{name}.loss"
            table.row(
                title,
                "",
                table.number("record", f"{key}: {field}", decimals=4),
                _more(table, key, field),
                "",
            )
    return table


def _more(table: Table, key: str, field: str) -> str:
    return table.number("calc", f"record('{key}: {field}') - record('{key}: baseline')", decimals=4)


def _speed(records: Mapping[str, Record]) -> Table:
    table = Table(
        "quantization-speed",
        "device",
        "weights in",
        "bits per weight",
        "time, ms",
        "weights read, GB/s",
        "times as fast as sixteen bits",
        records=records,
    )
    for key in _keys(records, "quantization-speed"):
        table.of(records[key])
        for kind, title in SPEED_TITLES.items():
            result = records[key].results.get(kind, {})
            if "seconds" not in result:
                continue
            table.row(
                title,
                table.number("record", f"{key}: {kind}.bits_per_weight", decimals=2),
                table.number("record", f"{key}: {kind}.seconds", unit="ms", decimals=2),
                table.number("record", f"{key}: {kind}.bytes_per_second", unit="GB/s", decimals=1),
                table.number("record", f"{key}: {kind}.speedup_over_16_bits", decimals=2),
            )
    return table


MEASURED = (_embedded, _smollm2, _matrices, _methods, _speed)
