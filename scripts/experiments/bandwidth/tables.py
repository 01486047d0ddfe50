"""What datasheets promise, what the roofline predicts, and what was measured."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from scripts.experiments.bandwidth.limits import SHORT_NAMES, products, registered
from scripts.records.record import Record
from scripts.tables.table import Column, Number, Table, Values, three_digits
from snippets.hardware import ACCELERATORS


def bandwidth(values: Values) -> Table:
    """Transfers and products of each device, predicted from a datasheet or its own reading."""
    table = Table(
        *("device", "work"),
        Column("vectors", record="{place}.vectors"),
        *("datasheet", "predicted", "measured", "measured over predicted"),
        values=values,
    )
    for key, record in table.each("bandwidth"):
        device = registered(record)
        name = device.replace("-", "_") if device else ""
        for work in ("copy", "read"):
            if work in record.results:
                _transfer(table, f"{key}: {work}.bytes_per_second", work, name)
        for dtype in SHORT_NAMES:
            found = products(record, dtype)
            for product in (found[:1] + found[-1:]) if found[1:] else found:
                _product(table, key, record, dtype, int(product["vectors"]), name)
    return table


def _transfer(table: Table, field: str, work: str, name: str) -> None:
    found = table.number(record=field, suffix="GB/s", decimals=three_digits)
    if not name:
        table.row(work, "", "", found, "")
        return
    sheet = f"{name}.memory_bandwidth"
    datasheet = table.number(cite=sheet, suffix="GB/s")
    table.row(work, datasheet, datasheet, found, _ratio(table, f"record('{field}') / {sheet}"))


def _product(table: Table, key: str, record: Record, dtype: str, vectors: int, name: str) -> None:
    """A row of operations/s: predicted from the datasheet, or from this device's own reading."""
    place = _place(key, dtype, vectors)
    field = f"{place}.operations_per_second"
    intensity = (
        f"product_intensity(rows=record('{key}: matrix.rows'), "
        f"columns=record('{key}: matrix.columns'), vectors=record('{place}.vectors'), "
        f"bytes_per_element={SHORT_NAMES[dtype]}.bytes)"
    )
    datasheet: str | Number = ""
    prediction = ""
    peak = f"{name}.dense_{dtype}"
    if name and getattr(ACCELERATORS[name.replace("_", "-")], f"dense_{dtype}"):
        datasheet = table.number(cite=peak, suffix="TFLOP/s")
        prediction = (
            f"attainable_operations(intensity={intensity}, peak_operations={peak}, "
            f"memory_bandwidth={name}.memory_bandwidth)"
        )
    elif vectors == 1 and "read" in record.results:
        prediction = f"{intensity} * record('{key}: read.bytes_per_second')"
    emulated = dtype not in (record.device["dtypes"] or [dtype])
    table.row(
        f"{SHORT_NAMES[dtype]} product{', emulated' if emulated else ''}",
        datasheet,
        _rate(table, calc=prediction) if prediction else "",
        _rate(table, record=field),
        _ratio(table, f"record('{field}') / ({prediction})") if prediction else "",
        place=place,
    )


def _place(key: str, dtype: str, vectors: int) -> str:
    return f"{key}: {dtype}." + ("matrix_vector" if vectors == 1 else f"matrix_batch.{vectors}")


def _rate(table: Table, **origin: str) -> Number:
    suffix = "TFLOP/s" if table.value(**origin) >= 0.1e12 else "GFLOP/s"
    return table.number(**origin, suffix=suffix, decimals=three_digits)


def _ratio(table: Table, expression: str) -> Number:
    return table.number(calc=expression, decimals=lambda v: 2 if v >= 0.005 else three_digits(v))


def knees(values: Values) -> Table:
    """Vectors at which a product stops being limited by memory: by its roof, and as measured.

    Predicted from the rate of reading and the highest rate of operations. Measured where twice the
    vectors, from half of that highest rate on, would reach it.
    """
    table = Table(
        *("device", "format"),
        Column("balance, operations per byte", calc="{balance}", decimals=1),
        Column("predicted vectors", calc="balanced_vectors({balance}, {form}.bytes)", decimals=0),
        "measured between",
        values=values,
    )
    for key, record in table.each("bandwidth"):
        for dtype, name in SHORT_NAMES.items():
            found = products(record, dtype)
            if len(found) < 3 or "read" not in record.results:
                continue
            best = max(found, key=lambda product: float(product["operations_per_second"]))
            peak = f"record('{key}: {dtype}.matrix_batch.{best['vectors']}.operations_per_second')"
            for one, other in list(_around_half(found, float(best["operations_per_second"])))[-1:]:
                places = [_place(key, dtype, int(each["vectors"])) for each in (one, other)]
                low, high = (table.number(calc=f"2 * record('{p}.vectors')") for p in places)
                table.row(
                    name,
                    [low, " and ", high],
                    balance=f"balance_point({peak}, record('{key}: read.bytes_per_second'))",
                    form=name,
                )
    return table


def _around_half(found: list[dict[str, Any]], best: float) -> Iterator[tuple[Any, Any]]:
    for one, other in pairwise(found):
        if one["operations_per_second"] <= best / 2 < other["operations_per_second"]:
            yield one, other


TABLES = {"bandwidth": bandwidth, "knee": knees}
