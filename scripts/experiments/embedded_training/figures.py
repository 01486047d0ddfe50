"""The loss over the steps in which the embedded model was trained."""

from scripts.figures.drawing import Figure, figure, label_ends
from scripts.figures.palette import BLUE, ORANGE
from scripts.records.record import Record


@figure("embedded-training-{device}", "Training of the embedded model", height=4)
def training_curve(sheet: Figure, record: Record) -> None:
    """The text that it was trained on, and a novel held out."""
    axes, log = sheet.axes(), record.results["log"]
    steps = log["step"]
    for name, title, colour in (
        ("training_nats_per_byte", "text trained on, with dropout", ORANGE),
        ("held_out_nats_per_byte", "held-out Persuasion", BLUE),
    ):
        axes.plot(steps, log[name], color=colour, marker="o", ms=4, label=title)
    axes.set(
        xlabel="step",
        ylabel="loss, nats per byte",
        xlim=(0, steps[-1] * (2.2 if sheet.narrow else 1.4)),
    )
    axes.set_xticks(steps[3::4], labels=[f"{step:,}" for step in steps[3::4]])
    axes.grid(axis="y")
    label_ends(axes)
