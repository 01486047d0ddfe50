"""How formats divide their bits, and what range and precision that buys."""

import math

from scripts.figures.drawing import Axes, Figure, figure, label
from scripts.figures.palette import BLUE, GREEN, INK, ON_COLOUR, ORANGE, SKY, VERMILLION
from snippets.formats import BF16, FLOAT_FORMATS, FP16, FP32, INT8
from snippets.number_formats import decimal_digits

FIELDS = {"sign": VERMILLION, "exponent": ORANGE, "mantissa": BLUE, "integer": GREEN}
ENDS = ("smallest subnormal", "smallest normal", "largest")
NEAR = {"FP8_E4M3": "bottom", "FP8_E5M2": "top"}  # two bars that almost touch


@figure("bit-layouts", "Bit layouts of number formats", height=3.4)
def bit_layouts(sheet: Figure) -> None:
    """One row of boxes per format, one box per bit."""
    rows = {
        each.name: {"sign": 1, "exponent": each.exponent_bits, "mantissa": each.mantissa_bits}
        for each in (FP32, FP16, BF16)
    } | {INT8.name: {"integer": INT8.bits}}
    axes = sheet.axes()
    for row, (name, fields) in enumerate(rows.items()):
        axes.text(-0.6, -row, name, ha="right", va="center", fontsize=13)
        left = 0
        for field, bits in fields.items():
            _boxes(axes, left, -row, field, bits, worded=9 if sheet.narrow else 6)
            sheet.rows.append({"format": name, "field": field, "bits": bits})
            left += bits
    axes.set(xlim=(-4, FP32.bits + 0.1), ylim=(-len(rows) + 0.4, 0.85))
    axes.set_axis_off()


def _boxes(axes: Axes, left: int, row: float, field: str, bits: int, *, worded: int) -> None:
    """A box for each bit of a field. With more than `worded` of them, its name fits into them."""
    colour = FIELDS[field]
    axes.barh(row, bits - 0.08, height=0.6, left=left + 0.04, color=colour, alpha=0.8, lw=0)
    for bit in range(bits):
        axes.barh(row, 0.92, height=0.6, left=left + bit + 0.04, color=colour)
    text = f"{field}, {bits} bits" if bits > worded else str(bits)
    axes.text(left + bits / 2, row, text, ha="center", va="center", fontsize=11, color=ON_COLOUR)
    if (row == 0 or field == "integer") and bits <= worded:
        end, side = (left + bits, "right") if field == "sign" else (left, "left")
        axes.text(end, row + 0.42, field, ha=side, va="bottom", fontsize=11, color=colour)


@figure("range-and-precision", "Range and precision of number formats", height=4.2)
def range_and_precision(sheet: Figure) -> None:
    """Each format as a bar from its smallest to its largest number, as high as it has digits."""
    axes = sheet.axes()
    colours = (BLUE, GREEN, VERMILLION, ORANGE, SKY)
    for (name, form), colour in zip(FLOAT_FORMATS.items(), colours, strict=True):
        digits = decimal_digits(form.mantissa_bits)
        ends = (form.smallest_subnormal, form.smallest_normal, form.largest_finite)
        subnormal, normal, largest = powers = [math.log10(value) for value in ends]
        named = {f"{end}, powers of ten": p for end, p in zip(ENDS, powers, strict=True)}
        sheet.rows.append({"format": form.name, "decimal digits": digits, **named})
        axes.plot([normal, largest], [digits] * 2, color=colour, lw=7)
        axes.plot([subnormal, normal], [digits] * 2, color=colour, lw=2, ls=":")
        wide, words = largest > 20, f"{form.name}, {digits:.1f} digits"
        offset, side = ((0, 7), "right") if wide else ((9, 0), "left")
        look = {"va": NEAR.get(name, "bottom" if wide else "center"), "color": colour}
        label(axes, words, (largest, digits), offset, ha=side, **look)
    axes.axvline(0, color=INK, lw=0.8, ls="--")
    dotted = "dotted: subnormal, fewer digits"
    axes.set_xlabel(f"magnitude, powers of ten{chr(10) if sheet.narrow else ' '}({dotted})")
    axes.set(ylabel="decimal digits", ylim=(0, 8.4))
