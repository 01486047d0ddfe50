"""Decoding against its ceiling, over the sequences that are decoded together."""

from scripts.figures.drawing import Figure, figure, label_ends
from scripts.figures.palette import BLUE, GREEN, PURPLE, VERMILLION
from scripts.records.record import Record


@figure("decoding-{device}", "Decoding against its ceiling", height=4.2)
def batches(sheet: Figure, record: Record) -> None:
    """Tokens per second of all sequences together, measured and at the ceiling."""
    axes = sheet.axes()
    models = {n: m["batch"] for n, m in record.results["models"].items() if "batch" in m}
    colours = (BLUE, VERMILLION, GREEN, PURPLE)
    for (name, found), colour in zip(models.items(), colours, strict=False):
        run = {int(count): batch for count, batch in found.items() if "seconds" in batch}
        measured = [batch["tokens_per_second"] for batch in run.values()]
        ceiling = [batch["ceiling_tokens_per_second"] for batch in run.values()]
        axes.plot([*run], ceiling, "--", color=colour, lw=1.2, label=f"{name}, ceiling")
        axes.plot([*run], measured, "o-", color=colour, ms=5, label=f"{name}, measured")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel="sequences at a time", ylabel="tokens per second, all together")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlim(None, 2.5 * axes.dataLim.x1)
    axes.grid()
    label_ends(axes)
