"""The roofline: datasheets' roofs as lines, what was measured as points."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scripts.experiments.bandwidth.limits import SHORT_NAMES, products, registered
from scripts.figures.drawing import Axes, Figure, Look, figure, label
from scripts.figures.palette import BLUE, GREEN, ORANGE, PURPLE, VERMILLION
from scripts.records.record import Record, lookup
from snippets.bandwidth import attainable_operations, balance_point, product_intensity
from snippets.formats import FORMATS
from snippets.hardware import h100_sxm, rtx_3060

SHEETS = (("H100 SXM", h100_sxm, PURPLE), ("RTX 3060", rtx_3060, BLUE))


@figure("roofline", "Roofline of operations per second", height=5.4)
def roofline(sheet: Figure, records: Sequence[Record]) -> None:
    """Attainable operations/s over intensity."""
    axes = sheet.axes()
    for name, card, colour in SHEETS:
        assert card.dense_fp16 is not None
        limits = card.dense_fp16, card.memory_bandwidth
        _roof(axes, *limits, f"{name}, datasheet, FP16", colour)
    for record, colour in zip(records, _colours(records), strict=True):
        slug, first = record.folder, True
        for (dtype, short), marker in zip(SHORT_NAMES.items(), "osD", strict=True):
            if not (points := products(record, dtype)):
                continue
            across = [_intensity(record, dtype, product["vectors"]) for product in points]
            up = [product["operations_per_second"] for product in points]
            look: Look = {
                "color": colour,
                "ms": 6,
                "zorder": 3,
                "label": f"{slug}, {short}, measured",
            }
            axes.plot(across, up, marker, **look)
            for product in (points[-1], points[0]) if first else points[-1:]:
                _name_point(axes, record, dtype, product, colour)
            first = False
        if registered(record) is None:  # its roof: its own fastest reading and FP32 products
            peak = max(product["operations_per_second"] for product in products(record, "fp32"))
            reading = lookup(record, "read.bytes_per_second")
            _roof(axes, peak, reading, f"{slug}, measured roof", colour, ls="--")
    axes.set(xscale="log", yscale="log", xlim=(0.3, 9000), ylim=(3e9, 3e15))
    axes.set_xlabel("arithmetic intensity, operations per byte")
    axes.set_ylabel("operations per second")
    axes.grid()


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
    axes: Axes, record: Record, dtype: str, product: Mapping[str, Any], colour: str
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


def _roof(axes: Axes, peak: float, bandwidth: float, name: str, colour: str, ls: str = "-") -> None:
    intensities = [0.3, balance_point(peak, bandwidth), 9000]
    limits = {"peak_operations": peak, "memory_bandwidth": bandwidth}
    heights = [attainable_operations(intensity=each, **limits) for each in intensities]
    axes.plot(intensities, heights, color=colour, ls=ls, lw=1.8, label=name)
    label(axes, name, (8500, peak), (0, 5), ha="right", color=colour, fontsize=11)
