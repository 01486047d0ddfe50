"""Chapter 3: what datasheets promise, what the roofline predicts and what was measured."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scripts.records.record import Record, lookup
from scripts.render.markdown import Table
from scripts.render.style import BLUE, GREEN, ORANGE, PURPLE, VERMILLION, figure
from snippets.bandwidth import attainable_operations, balance_point, product_intensity
from snippets.formats import FORMATS
from snippets.hardware import ACCELERATORS, Accelerator, h100_sxm, rtx_3060

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPERIMENT = "bandwidth"
DTYPES = {"fp32": "FP32", "fp16": "FP16", "bf16": "BF16"}

# What a driver calls a device, where the registry calls it otherwise.
REGISTERED = {
    "a100-pcie-40gb": "a100-40gb-pcie",
    "a100-sxm4-40gb": "a100-40gb-sxm",
    "a100-sxm4-80gb": "a100-80gb-sxm",
    "h100-80gb-hbm3": "h100-sxm",
    "h200": "h200-sxm",
    "b200": "b200-sxm",
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The table and the figures by path under docs/."""
    measured = {key: record for key, record in records.items() if record.experiment == EXPERIMENT}
    return {
        "tables/bandwidth.md": _table(records).markdown().encode(),
        **_roofline(measured),
    }


def registered(record: Record) -> str | None:
    """The registry's name for a record's device; None when it holds no such device."""
    slug = record.device["slug"]
    name = REGISTERED.get(slug, slug)
    return name if name in ACCELERATORS else None


def products(record: Record, dtype: str) -> list[dict[str, Any]]:
    """The matrix times one vector and times each batch, in order of their vectors."""
    found = record.results.get(dtype)
    if found is None:
        return []
    all_of_them = [found["matrix_vector"], *found["matrix_batch"].values()]
    return sorted(all_of_them, key=lambda product: int(product["vectors"]))


def _intensity(record: Record, dtype: str, vectors: float) -> float:
    return product_intensity(
        rows=lookup(record, "matrix.rows"),
        columns=lookup(record, "matrix.columns"),
        vectors=vectors,
        bytes_per_element=FORMATS[DTYPES[dtype]].bytes,
    )


def _table(records: Mapping[str, Record]) -> Table:
    table = Table(
        "bandwidth",
        "device",
        "work",
        "vectors",
        "datasheet",
        "predicted",
        "measured",
        "measured over predicted",
        records=records,
    )
    for key, record in records.items():
        if record.experiment != EXPERIMENT:
            continue
        device = registered(record)
        name = device.replace("-", "_") if device else ""
        for work in ("copy", "read"):
            if work in record.results:
                _transfer(table, key, record, work, name)
        for dtype in DTYPES:
            found = products(record, dtype)
            for product in (found[:1] + found[-1:]) if found[1:] else found:
                _product(table, key, record, dtype, int(product["vectors"]), name)
    return table


MEASURED = (_table,)


def _transfer(table: Table, key: str, record: Record, work: str, name: str) -> None:
    field = f"{key}: {work}.bytes_per_second"
    found = table.number(
        "record", field, suffix="GB/s", decimals=_decimals(table.value("record", field) / 1e9)
    )
    slug = f"`{record.device['slug']}`"
    if not name:
        table.row(slug, work, "", "", "", found, "")
        return
    sheet = f"{name}.memory_bandwidth"
    datasheet = table.number("cite", sheet, suffix="GB/s")
    ratio = _ratio(table, f"record('{field}') / {sheet}")
    table.row(slug, work, "", datasheet, datasheet, found, ratio)


def _product(table: Table, key: str, record: Record, dtype: str, vectors: int, name: str) -> None:
    """A row of operations/s: predicted from the datasheet, or from this device's own reading."""
    place = f"{key}: {dtype}." + ("matrix_vector" if vectors == 1 else f"matrix_batch.{vectors}")
    field = f"{place}.operations_per_second"
    intensity = (
        f"product_intensity(rows=record('{key}: matrix.rows'), "
        f"columns=record('{key}: matrix.columns'), vectors=record('{place}.vectors'), "
        f"bytes_per_element={DTYPES[dtype]}.bytes)"
    )
    datasheet = prediction = ""
    peak = f"{name}.dense_{dtype}"
    if name and getattr(ACCELERATORS[name.replace("_", "-")], f"dense_{dtype}"):
        datasheet = table.number("cite", peak, suffix="TFLOP/s")
        prediction = (
            f"attainable_operations(intensity={intensity}, peak_operations={peak}, "
            f"memory_bandwidth={name}.memory_bandwidth)"
        )
    elif vectors == 1 and "read" in record.results:
        prediction = f"{intensity} * record('{key}: read.bytes_per_second')"
    emulated = dtype not in (record.device["dtypes"] or [dtype])
    table.row(
        f"`{record.device['slug']}`",
        f"{DTYPES[dtype]} product{', emulated' if emulated else ''}",
        table.number("record", f"{place}.vectors"),
        datasheet,
        _rate(table, "calc", prediction) if prediction else "",
        _rate(table, "record", field),
        _ratio(table, f"record('{field}') / ({prediction})") if prediction else "",
    )


def _rate(table: Table, kind: str, expression: str) -> str:
    value = table.value(kind, expression)
    unit, scale = ("TFLOP/s", 1e12) if value >= 0.1e12 else ("GFLOP/s", 1e9)
    return table.number(kind, expression, suffix=unit, decimals=_decimals(value / scale))


def _ratio(table: Table, expression: str) -> str:
    value = table.value("calc", expression)
    return table.number("calc", expression, decimals=2 if value >= 0.005 else _decimals(value))


def _decimals(value: float) -> int:
    """Decimals that show three digits of a value, or fewer where it has no more."""
    exact = f"{value:.12g}".partition(".")[2]
    return min(len(exact), max(0, 2 - math.floor(math.log10(abs(value)))))


def _roofline(measured: Mapping[str, Record]) -> dict[str, bytes]:
    """Attainable operations/s over intensity: datasheets' roofs as lines, measurements as points."""
    with figure("roofline", "Roofline of operations per second", height=5.4) as sheet:
        axes = sheet.axes()
        _datasheet_roof(axes, h100_sxm, "H100 SXM, datasheet", PURPLE)
        _datasheet_roof(axes, rtx_3060, "RTX 3060, datasheet", BLUE)
        for (key, record), colour in zip(
            measured.items(), _colours(measured.values()), strict=True
        ):
            for dtype, marker in zip(DTYPES, "osD", strict=True):
                points = products(record, dtype)
                if not points:
                    continue
                axes.plot(
                    [_intensity(record, dtype, product["vectors"]) for product in points],
                    [product["operations_per_second"] for product in points],
                    marker,
                    color=colour,
                    ms=6,
                    zorder=3,
                    label=f"{key.partition('/')[0]}, {DTYPES[dtype]}, measured",
                )
                _name_point(axes, record, dtype, points[-1], colour)
                if dtype == next(name for name in DTYPES if name in record.results):
                    _name_point(axes, record, dtype, points[0], colour)
            if registered(record) is None:
                _measured_roof(axes, record, f"{key.partition('/')[0]}, measured roof", colour)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="arithmetic intensity, operations per byte",
            ylabel="operations per second",
            xlim=(0.3, 9000),
            ylim=(3e9, 3e15),
        )
        axes.grid()
    return sheet.files


def _colours(records: Any) -> Iterator[str]:
    """A colour for each device: the RTX 3060's is that of its datasheet."""
    others = iter((VERMILLION, GREEN, ORANGE) * 8)
    for record in records:
        yield BLUE if registered(record) == "rtx-3060" else next(others)


def _name_point(
    axes: "Axes", record: Record, dtype: str, product: Mapping[str, Any], colour: str
) -> None:
    vectors = int(product["vectors"])
    above = "bf16" in record.results  # else the two would be written over one another
    axes.annotate(
        f"{DTYPES[dtype]} × {vectors:,}",
        (_intensity(record, dtype, vectors), product["operations_per_second"]),
        xytext=(7, -5) if vectors == 1 else (0, 7 if dtype == "fp16" and above else -7),
        textcoords="offset points",
        ha="left" if vectors == 1 else "center",
        va="bottom" if dtype == "fp16" and above else "top",
        fontsize=10,
        color=colour,
    )


def _datasheet_roof(axes: "Axes", device: Accelerator, name: str, colour: str) -> None:
    assert device.dense_fp16 is not None
    _roof(axes, device.dense_fp16, device.memory_bandwidth, f"{name}, FP16", colour)


def _measured_roof(axes: "Axes", record: Record, name: str, colour: str) -> None:
    """The roof of a device without a datasheet: its own fastest reading and FP32 products."""
    peak = max(product["operations_per_second"] for product in products(record, "fp32"))
    _roof(axes, peak, lookup(record, "read.bytes_per_second"), name, colour, linestyle="--")


def _roof(
    axes: "Axes", peak: float, bandwidth: float, name: str, colour: str, linestyle: str = "-"
) -> None:
    ridge = balance_point(peak, bandwidth)
    intensities = [0.3, ridge, 9000]
    axes.plot(
        intensities,
        [
            attainable_operations(
                intensity=intensity, peak_operations=peak, memory_bandwidth=bandwidth
            )
            for intensity in intensities
        ],
        color=colour,
        ls=linestyle,
        lw=1.8,
        label=name,
    )
    axes.annotate(
        name,
        (8500, peak),
        xytext=(0, 5),
        textcoords="offset points",
        ha="right",
        color=colour,
        fontsize=11,
    )
