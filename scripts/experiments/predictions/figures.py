"""Predicted over reported memory of published training runs."""

from scripts.figures.drawing import Figure, Look, figure
from scripts.figures.palette import COLOURS, INK
from scripts.records.record import Record

GiB = 2**30


@figure("predictions", "Predicted and reported memory of published training runs", height=5)
def scatter(sheet: Figure, record: Record) -> None:
    """Each run's predicted over its reported memory; the line is where both are equal."""
    axes, results = sheet.axes(), record.results
    for index, name in enumerate(results["models"]):
        runs = [at for at, model in enumerate(results["model_of_run"]) if model == index]
        reported, predicted = (
            [results[f"{how}_bytes"][at] / GiB for at in runs] for how in ("reported", "predicted")
        )
        look: Look = {"color": COLOURS[index], "markersize": 3, "alpha": 0.8}
        axes.plot(reported, predicted, "o", label=name, **look)
    ends, ticks = [1.5, 110], [2, 4, 8, 16, 32, 64]
    axes.plot(ends, ends, color=INK, linewidth=1, label="as reported")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(ticks, labels=[str(tick) for tick in ticks])
    axes.set_yticks(ticks, labels=[str(tick) for tick in ticks])
    axes.set(xlabel="reported, GiB on a GPU", ylabel="predicted, GiB")
    axes.legend(frameon=False, labelcolor=INK)
