"""Bandwidth from cache to memory."""

from collections.abc import Iterator, Sequence

from scripts.figures.drawing import BLUE, GREEN, INK, ORANGE, PURPLE, Figure, figure, label_ends
from scripts.records.record import Record

KINDS = {"read": BLUE, "write": ORANGE, "copy": GREEN, "triad": PURPLE}


def staircase(records: Sequence[Record]) -> Iterator[Figure]:
    """Rates of each kind of work over the size of all its vectors; one for each device."""
    for record in records:
        name = f"staircase-{record.device['slug']}"
        with figure(name, "Bandwidth from cache to memory", height=4.6) as sheet:
            axes = sheet.axes()
            for kind, colour in KINDS.items():
                sizes = record.results.get(kind, {}).get("sizes", {}).items()
                rates = {int(n): f["bytes_per_second"] / 1e9 for n, f in sizes if "seconds" in f}
                if rates:
                    axes.plot([*rates], [*rates.values()], "o-", color=colour, ms=4, label=kind)
            cache = record.device["cache_bytes"]
            axes.axvline(cache, color=INK, lw=1, ls="--", label="last-level cache")
            axes.annotate(
                "last-level cache",
                (cache, 0),
                xycoords=("data", "axes fraction"),
                xytext=(-6, 6),
                textcoords="offset points",
                ha="right",
            )
            axes.set(
                xscale="log",
                yscale="log",
                xlabel="size of all vectors together",
                ylabel="GB/s",
                xlim=(None, 4 * max(int(axes.dataLim.x1), cache)),
            )
            sheet.columns["size of all vectors together"] = "size of all vectors together, bytes"
            axes.set_xscale("log", base=2)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.xaxis.set_major_formatter(lambda value, _: _binary(value))
            axes.grid()
            label_ends(axes)
        yield sheet


def _binary(value: float) -> str:
    """A size as its reader says it: 64 KiB, 32 MiB."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= scale:
            return f"{value / scale:g} {unit}"
    return f"{value:g} B"


FIGURES = (staircase,)
