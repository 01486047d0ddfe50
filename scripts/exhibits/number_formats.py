"""How formats divide their bits, and what range and precision that buys."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scripts.figures.drawing import (
    BLUE,
    GREEN,
    INK,
    ON_COLOUR,
    ORANGE,
    SKY,
    VERMILLION,
    Figure,
    figure,
    label,
)
from scripts.records.record import Record
from snippets.formats import BF16, FLOAT_FORMATS, FP16, FP32, INT8
from snippets.number_formats import decimal_digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIELDS = {"sign": VERMILLION, "exponent": ORANGE, "mantissa": BLUE, "integer": GREEN}


def bit_layouts(records: Sequence[Record]) -> Figure:
    """One row of boxes per format, one box per bit."""
    rows = [
        (form.name, {"sign": 1, "exponent": form.exponent_bits, "mantissa": form.mantissa_bits})
        for form in (FP32, FP16, BF16)
    ]
    rows.append((INT8.name, {"integer": INT8.bits}))
    with figure("bit-layouts", "Bit layouts of number formats", height=3.4) as sheet:
        axes = sheet.axes()
        for row, (name, fields) in enumerate(rows):
            axes.text(-0.6, -row, name, ha="right", va="center", fontsize=13)
            left = 0
            for field, bits in fields.items():
                _boxes(axes, left, -row, field, bits)
                sheet.rows.append({"format": name, "field": field, "bits": bits})
                left += bits
        axes.set(xlim=(-4, FP32.bits + 0.1), ylim=(-len(rows) + 0.4, 0.85))
        axes.set_axis_off()
    return sheet


def _boxes(axes: "Axes", left: int, row: float, field: str, bits: int) -> None:
    colour = FIELDS[field]
    axes.barh(row, bits - 0.08, height=0.6, left=left + 0.04, color=colour, alpha=0.7, lw=0)
    for bit in range(bits):
        axes.barh(row, 0.92, height=0.6, left=left + bit + 0.04, color=colour)
    text = f"{field}, {bits} bits" if bits > 6 else str(bits)
    axes.text(left + bits / 2, row, text, ha="center", va="center", fontsize=11, color=ON_COLOUR)
    if row == 0 and bits <= 6:
        axes.text(left, row + 0.42, field, ha="left", va="bottom", fontsize=11, color=colour)


def range_and_precision(records: Sequence[Record]) -> Figure:
    """Each format as a bar from its smallest to its largest number, as high as it has digits."""
    colours = dict(zip(FLOAT_FORMATS, (BLUE, GREEN, VERMILLION, ORANGE, SKY), strict=True))
    with figure(
        "range-and-precision", "Range and precision of number formats", height=4.2
    ) as sheet:
        axes = sheet.axes()
        for name, form in FLOAT_FORMATS.items():
            digits = decimal_digits(form.mantissa_bits)
            subnormal, normal, largest = (
                math.log10(value)
                for value in (form.smallest_subnormal, form.smallest_normal, form.largest_finite)
            )
            sheet.rows.append(
                {
                    "format": form.name,
                    "decimal digits": digits,
                    "smallest subnormal, powers of ten": subnormal,
                    "smallest normal, powers of ten": normal,
                    "largest, powers of ten": largest,
                }
            )
            axes.plot([normal, largest], [digits] * 2, color=colours[name], lw=7)
            axes.plot([subnormal, normal], [digits] * 2, color=colours[name], lw=2, ls=":")
            wide = largest > 20
            near = {"FP8_E4M3": "bottom", "FP8_E5M2": "top"}  # two bars that almost touch
            label(
                axes,
                f"{form.name}, {digits:.1f} digits",
                (largest, digits),
                (0, 7) if wide else (9, 0),
                ha="right" if wide else "left",
                va=near.get(name, "bottom" if wide else "center"),
                color=colours[name],
            )
        axes.axvline(0, color=INK, lw=0.8, ls="--")
        axes.set(
            xlabel="magnitude, powers of ten (dotted: subnormal, fewer digits)",
            ylabel="decimal digits",
            ylim=(0, 8.4),
        )
    return sheet


FIGURES = (bit_layouts, range_and_precision)
