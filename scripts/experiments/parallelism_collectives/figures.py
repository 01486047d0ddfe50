"""All-reduce and all-gather by size."""

from collections.abc import Sequence

from scripts.figures.drawing import Figure, figure, label_line
from scripts.figures.palette import COLOURS
from scripts.records.record import Record


@figure("collectives", "All-reduce and all-gather by size", height=3.8)
def collectives(sheet: Figure, records: Sequence[Record]) -> None:
    """Bytes that a rank sends in a second, by the size of the buffer, on each device."""
    axes = sheet.axes()
    for index, record in enumerate(records):
        for name, line in (("all_reduce", "-"), ("all_gather", "--")):
            found = sorted(record.results[name].values(), key=lambda each: each["buffer_bytes"])
            sizes = [each["buffer_bytes"] for each in found]
            rates = [each["bytes_sent_per_second"] / 1e9 for each in found]
            colour = COLOURS[(2 * index + (name == "all_gather")) % len(COLOURS)]
            words = f"{name.replace('_', '-')}, {record.folder}"
            axes.plot(sizes, rates, line, marker="o", ms=4, color=colour, label=words)
            look = {"va": "center" if name == "all_reduce" else "top", "fontsize": 10}
            broken = words.replace(", ", ",\n")
            label_line(axes, sizes[-1], rates[-1], broken, colour=colour, **look)
    sheet.columns["whole buffer"] = "whole buffer, bytes"
    axes.set(xscale="log", yscale="log", xlabel="whole buffer", ylabel="GB/s sent by a rank")
    axes.set_xticks([10**power for power in range(4, 8)], ["10 kB", "100 kB", "1 MB", "10 MB"])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.margins(x=0.2)
    axes.grid()
