"""The loss over the steps in which the embedded model was trained."""

from collections.abc import Sequence

from scripts.figures.drawing import BLUE, ORANGE, Figure, figure, label_ends
from scripts.records.record import Record


def training_curve(records: Sequence[Record]) -> Figure:
    """The text that it was trained on, and a novel held out."""
    with figure("embedded-training", "Training of the embedded model", height=4) as sheet:
        axes = sheet.axes()
        results = records[0].results
        steps = results["log"]["step"]
        for name, title, colour in (
            ("training_nats_per_byte", "text trained on, with dropout", ORANGE),
            ("held_out_nats_per_byte", "held-out Persuasion", BLUE),
        ):
            axes.plot(steps, results["log"][name], color=colour, marker="o", ms=4, label=title)
        axes.set(xlabel="step", ylabel="loss, nats per byte", xlim=(0, steps[-1] * 1.4))
        axes.set_xticks(steps[3::4], labels=[f"{step:,}" for step in steps[3::4]])
        axes.grid(axis="y")
        label_ends(axes)
    return sheet


FIGURES = (training_curve,)
