"""Bandwidth from cache to memory."""

from scripts.figures.drawing import Figure, figure, label, label_ends
from scripts.figures.palette import BLUE, GREEN, INK, ORANGE, PURPLE
from scripts.records.record import Record

KINDS = {"read": BLUE, "write": ORANGE, "copy": GREEN, "triad": PURPLE}


@figure("staircase-{device}", "Bandwidth from cache to memory", height=4.6)
def staircase(sheet: Figure, record: Record) -> None:
    """Rates of each kind of work over the size of all its vectors."""
    axes, size = sheet.axes(), "size of all vectors together"
    for kind, colour in KINDS.items():
        sizes = record.results.get(kind, {}).get("sizes", {}).items()
        rates = {int(n): f["bytes_per_second"] / 1e9 for n, f in sizes if "seconds" in f}
        if rates:
            axes.plot([*rates], [*rates.values()], "o-", color=colour, ms=4, label=kind)
    cache = record.device["cache_bytes"]
    axes.axvline(cache, color=INK, lw=1, ls="--", label="last-level cache")
    edge = ("data", "axes fraction")
    label(axes, "last-level cache", (cache, 0), (-6, 6), xycoords=edge, ha="right")
    axes.set(xscale="log", yscale="log", xlabel=size, ylabel="GB/s")
    axes.set_xlim(None, 4 * max(int(axes.dataLim.x1), cache))
    sheet.columns[size] = f"{size}, bytes"
    axes.set_xscale("log", base=2)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_major_formatter(lambda value, _: _binary(value))
    axes.grid()
    label_ends(axes)


def _binary(value: float) -> str:
    """A size as its reader says it: 64 KiB, 32 MiB."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= scale:
            return f"{value / scale:g} {unit}"
    return f"{value:g} B"
