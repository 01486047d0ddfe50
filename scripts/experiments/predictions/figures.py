"""Predicted over reported memory of published training runs."""

from collections.abc import Sequence

from scripts.figures.drawing import COLOURS, INK, Figure, figure
from scripts.records.record import Record

GiB = 2**30


def scatter(records: Sequence[Record]) -> Figure:
    """Each run's predicted over its reported memory; the line is where both are equal."""
    results = records[0].results
    with figure(
        "predictions", "Predicted and reported memory of published training runs", height=5
    ) as sheet:
        axes = sheet.axes()
        for index, name in enumerate(results["models"]):
            runs = [at for at, model in enumerate(results["model_of_run"]) if model == index]
            axes.plot(
                [results["reported_bytes"][at] / GiB for at in runs],
                [results["predicted_bytes"][at] / GiB for at in runs],
                "o",
                color=COLOURS[index],
                markersize=3,
                alpha=0.6,
                label=name,
            )
        ends = [1.5, 110]
        axes.plot(ends, ends, color=INK, linewidth=1, label="as reported")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xticks([2, 4, 8, 16, 32, 64], labels=["2", "4", "8", "16", "32", "64"])
        axes.set_yticks([2, 4, 8, 16, 32, 64], labels=["2", "4", "8", "16", "32", "64"])
        axes.set_xlabel("reported, GiB on a GPU")
        axes.set_ylabel("predicted, GiB")
        axes.legend(frameon=False, labelcolor=INK)
    return sheet


FIGURES = (scatter,)
