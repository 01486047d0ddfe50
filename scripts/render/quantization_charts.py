"""Charts of the quantization lab: the loss for each width, and the weights that are rounded."""

from typing import TYPE_CHECKING

import numpy as np

from scripts.records.record import Record, lookup
from scripts.render.style import BLUE, GREEN, INK, ORANGE, VERMILLION, figure, label_ends
from snippets.quantization import group_scales
from snippets.quantized_size import largest_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BITS = (8, 6, 5, 4, 3, 2)
GRANULARITIES = {
    "per_group_32": ("one scale per 32 weights", BLUE),
    "per_group_128": ("per 128 weights", GREEN),
    "per_row": ("per row", ORANGE),
    "per_matrix": ("per matrix", VERMILLION),
}
# The matrices of a GPT-NeoX layer, as the models that use it name them.
KINDS = {
    "query_key_value": "queries, keys, values",
    "dense": "attention's output",
    "dense_h_to_4h": "MLP, first",
    "dense_4h_to_h": "MLP, second",
}
GROUP = 32


def loss_by_bits(record: Record) -> dict[str, bytes]:
    """What rounding adds to the loss. Next to nothing can be less than nothing, so the axis bends."""
    with figure(
        "lab-loss-by-bits", "Rise in loss against bits per weight, embedded model", height=4.4
    ) as sheet:
        axes = sheet.axes()
        axes.axhline(0, color=INK, lw=1, ls="--", label="unrounded")
        unrounded = lookup(record, "loss.per_group_32.16")
        for name, (title, colour) in GRANULARITIES.items():
            widths = [lookup(record, f"bits_per_weight.{name}.{bits}") for bits in BITS]
            rises = [lookup(record, f"loss.{name}.{bits}") - unrounded for bits in BITS]
            axes.plot(widths, rises, color=colour, marker="o", ms=5, label=title)
        axes.legend(frameon=False, labelcolor="linecolor")
        axes.set_yscale("symlog", linthresh=0.01)
        axes.set_yticks([0, 0.01, 0.1, 1], labels=["0", "0.01", "0.1", "1"])
        axes.set(
            xlabel="bits per weight, scales included",
            ylabel="nats per token\nmore than unrounded",
            xlim=(1.8, 9),
            ylim=(-0.005, 8),
        )
        axes.grid(axis="y")
    return sheet.files


def histogram(record: Record) -> dict[str, bytes]:
    """All weights of the matrix in the middle, with the marks that each ruler offers them."""
    middle = record.results["median_matrix"]
    counts = middle["histogram"]
    largest, deviation = middle["largest_magnitude"], middle["standard_deviation"]
    edges = np.linspace(-largest, largest, len(counts) + 1)
    group = np.array(middle["first_group_of_its_widest_row"], dtype=np.float32)
    bits = middle["drawn_bits"]
    level = largest_level(bits)
    rulers = (
        ("per_matrix", largest / level),
        ("per_group_32", float(group_scales(group, bits=bits, group=GROUP)[0, 0])),
    )
    with figure(
        "lab-histogram", "Weights of one matrix and the marks of two rulers", height=4.6
    ) as sheet:
        axes = sheet.axes()
        sheet.rows += [
            {"series": "weights", "weight, from": low, "weight, to": high, "weights": count}
            for low, high, count in zip(edges, edges[1:], counts, strict=False)
        ]
        axes.stairs(counts, edges, fill=True, color=INK, alpha=0.45)
        axes.set_yscale("symlog", linthresh=10)
        top = max(counts)
        for height, (name, scale) in zip((top * 12, top * 3), rulers, strict=True):
            title, colour = GRANULARITIES[name]
            marks = np.arange(-level, level + 1) * scale
            axes.plot(marks, np.full(len(marks), height), "|", color=colour, ms=13, mew=2)
            if name == "per_group_32":
                title = "one group's ruler"
            sheet.rows += [{"series": f"marks, {title}", "weight, from": mark} for mark in marks]
            axes.annotate(
                title,
                (largest, height),
                xytext=(10, 0),
                textcoords="offset points",
                color=colour,
                va="center",
                annotation_clip=False,
            )
        axes.set(
            xlabel=f"weight (standard deviation {deviation:.3f})",
            ylabel="weights, logarithmic",
            ylim=(0, top * 40),
        )
        axes.set_yticks([0, 10, 100, 1000], labels=["0", "10", "100", "1,000"])
    return sheet.files


def outliers(record: Record) -> dict[str, bytes]:
    """Each kind of matrix a line over the layers: its largest weight in standard deviations."""
    names: list[str] = record.results["matrix"]["names"]
    deviations: list[float] = record.results["matrix"]["outlier_standard_deviations"]["of_each"]
    kinds: dict[str, list[tuple[int, float]]] = {}
    for name, deviation in zip(names, deviations, strict=True):
        _, layer, kind = name.removesuffix(".weight").split(".", 2)
        kinds.setdefault(kind.rpartition(".")[2], []).append((int(layer), deviation))
    with figure("lab-outliers", "Outliers over the layers", height=3.8) as sheet:
        axes = sheet.axes()
        for (kind, points), colour in zip(
            kinds.items(), (BLUE, GREEN, ORANGE, VERMILLION), strict=True
        ):
            layers, heights = zip(*points, strict=True)
            numbers = [layer + 1 for layer in layers]
            axes.plot(numbers, heights, color=colour, marker="o", ms=5, label=KINDS[kind])
        _whole_numbers(axes, len(points))
        axes.set(xlabel="layer", ylabel="largest weight,\nstandard deviations", ylim=(0, None))
        axes.grid(axis="y")
        label_ends(axes)
    return sheet.files


def _whole_numbers(axes: "Axes", layers: int) -> None:
    axes.set_xticks(range(1, layers + 1))
    axes.set_xlim(0.8, layers + 0.2 * layers)


def training_curve(record: Record) -> dict[str, bytes]:
    """The loss over the steps in which the embedded model was trained."""
    with figure("embedded-training", "Training of the embedded model", height=4) as sheet:
        axes = sheet.axes()
        results = record.results
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
    return sheet.files
