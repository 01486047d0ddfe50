"""Who sits where on the mesh."""

from scripts.figures.drawing import Figure, figure
from scripts.figures.palette import COLOURS, INK, ON_COLOUR
from scripts.records.record import Record

BOTH_WAYS = {"arrowstyle": "<->", "color": INK}


@figure("rank-layout-{device}", "Eight ranks split three ways", width=7, height=3.6)
def layout(sheet: Figure, record: Record) -> None:
    """Ranks as boxes: tensor neighbours touch, stages follow to the right, copies below."""
    axes, splits = sheet.axes(), record.results["layout"]
    for number, rank in record.results["ranks"].items():
        place = rank["place"]
        x = 4 * place["pipeline"] + place["tensor"]
        y = 2.2 * place["data"]
        sheet.rows.append({"rank": int(number), **place})
        axes.barh(y, 0.94, height=0.9, left=x, color=COLOURS[place["data"]])
        axes.text(x + 0.47, y, number, ha="center", va="center", fontsize=16, color=ON_COLOUR)
    for data in range(splits["data"]):
        y = 2.2 * data
        axes.text(-0.4, y, f"copy {data + 1}", ha="right", va="center")
        axes.annotate("", (3.9, y), (2.1, y), arrowprops=BOTH_WAYS)
        words = "hidden\nstates" if sheet.narrow else "hidden states"
        axes.text(3, y - 0.15, words, ha="center", fontsize=11)
    for pipeline in range(splits["pipeline"]):
        x = 4 * pipeline + 0.97
        axes.text(x, -0.75, f"stage {pipeline + 1}", ha="center")
        axes.text(x, 0.68, "sums in every layer", ha="center", fontsize=11)
        axes.annotate("", (x, 1.65), (x, 0.8), arrowprops=BOTH_WAYS)
        axes.text(x + 0.15, 1.3, "gradients, once a step", fontsize=11)
    axes.set(xlim=(-1.8, 8.1), ylim=(2.9, -1.1))
    axes.set_axis_off()
