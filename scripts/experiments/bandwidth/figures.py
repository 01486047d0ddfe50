"""The roofline: datasheets' roofs as lines, what was measured as points."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scripts.experiments.bandwidth.samples import SHORT_NAMES, products, registered
from scripts.figures.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    VERMILLION,
    Figure,
    figure,
    label,
)
from scripts.records.record import Record, lookup
from snippets.bandwidth import attainable_operations, balance_point, product_intensity
from snippets.formats import FORMATS
from snippets.hardware import h100_sxm, rtx_3060

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def roofline(records: Sequence[Record]) -> Figure:
    """Attainable operations/s over intensity."""
    with figure("roofline", "Roofline of operations per second", height=5.4) as sheet:
        axes = sheet.axes()
        for card, name, colour in (
            (h100_sxm, "H100 SXM", PURPLE),
            (rtx_3060, "RTX 3060", BLUE),
        ):
            assert card.dense_fp16 is not None
            name = f"{name}, datasheet, FP16"
            _roof(axes, card.dense_fp16, card.memory_bandwidth, name, colour)
        for record, colour in zip(records, _colours(records), strict=True):
            slug = record.device["slug"]
            for dtype, marker in zip(SHORT_NAMES, "osD", strict=True):
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
                    label=f"{slug}, {SHORT_NAMES[dtype]}, measured",
                )
                _name_point(axes, record, dtype, points[-1], colour)
                if dtype == next(name for name in SHORT_NAMES if name in record.results):
                    _name_point(axes, record, dtype, points[0], colour)
            if registered(record) is None:  # its roof: its own fastest reading and FP32 products
                peak = max(product["operations_per_second"] for product in products(record, "fp32"))
                reading = lookup(record, "read.bytes_per_second")
                _roof(axes, peak, reading, f"{slug}, measured roof", colour, ls="--")
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="arithmetic intensity, operations per byte",
            ylabel="operations per second",
            xlim=(0.3, 9000),
            ylim=(3e9, 3e15),
        )
        axes.grid()
    return sheet


def _intensity(record: Record, dtype: str, vectors: float) -> float:
    return product_intensity(
        rows=lookup(record, "matrix.rows"),
        columns=lookup(record, "matrix.columns"),
        vectors=vectors,
        bytes_per_element=FORMATS[SHORT_NAMES[dtype]].bytes,
    )


def _colours(records: Sequence[Record]) -> Iterator[str]:
    """A colour for each device: the RTX 3060's is that of its datasheet."""
    others = iter((VERMILLION, GREEN, ORANGE) * 8)
    for record in records:
        yield BLUE if registered(record) == "rtx-3060" else next(others)


def _name_point(
    axes: "Axes", record: Record, dtype: str, product: Mapping[str, Any], colour: str
) -> None:
    vectors = int(product["vectors"])
    above = dtype == "fp16" and "bf16" in record.results  # else one would be written over the other
    label(
        axes,
        f"{SHORT_NAMES[dtype]} × {vectors:,}",
        (_intensity(record, dtype, vectors), product["operations_per_second"]),
        (7, -5) if vectors == 1 else (0, 7 if above else -7),
        ha="left" if vectors == 1 else "center",
        va="bottom" if above else "top",
        fontsize=10,
        color=colour,
    )


def _roof(
    axes: "Axes", peak: float, bandwidth: float, name: str, colour: str, ls: str = "-"
) -> None:
    intensities = [0.3, balance_point(peak, bandwidth), 9000]
    limits = {"peak_operations": peak, "memory_bandwidth": bandwidth}
    heights = [attainable_operations(intensity=each, **limits) for each in intensities]
    axes.plot(intensities, heights, color=colour, ls=ls, lw=1.8, label=name)
    label(axes, name, (8500, peak), (0, 5), ha="right", color=colour, fontsize=11)


FIGURES = (roofline,)
