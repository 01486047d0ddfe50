"""The loss for each width, and the weights that are rounded."""

from collections.abc import Iterator, Sequence

import numpy as np

from scripts.experiments.quantization.tables import BITS, GROUP, is_embedded
from scripts.figures.drawing import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    VERMILLION,
    Figure,
    figure,
    label,
    label_ends,
)
from scripts.records.record import Record, lookup
from snippets.quantization import group_scales
from snippets.quantized_size import bits_per_weight, largest_level

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


def figures(records: Sequence[Record]) -> Iterator[Figure]:
    """What a lesson reports of a large model, and what was measured of the embedded one."""
    for record in [each for each in records if each.provenance["kind"] != "measured"][:1]:
        yield reported_loss(record)
    for record in [each for each in records if is_embedded(each)][:1]:
        yield from (loss(record), histogram(record), outliers(record))


def reported_loss(record: Record) -> Figure:
    """The loss that a lesson states of Pythia-1.4B, over the bits of a weight with its scale."""
    with figure("loss-by-bits", "Loss against bits per weight", height=4.4) as sheet:
        axes = sheet.axes()
        baseline = lookup(record, "loss.per_group.16")
        axes.axhline(baseline, color=INK, lw=1, ls="--", label="FP16")
        label(axes, f"FP16, {baseline}", (9, baseline), (0, -4), va="top", ha="right")
        widths = [bits_per_weight(bits, GROUP) for bits in BITS]
        grouped = [lookup(record, f"loss.per_group.{bits}") for bits in BITS]
        whole = [lookup(record, f"loss.per_matrix.{bits}") for bits in BITS]
        group = f"one scale per {GROUP} weights"
        axes.plot(widths, grouped, color=BLUE, marker="o", label=group)
        axes.plot(BITS, whole, color=VERMILLION, marker="s", label="one scale per matrix")
        label(axes, group, (widths[4], grouped[4]), (10, 6), color=BLUE)
        label(axes, "one scale per matrix", (BITS[3], whole[3]), (10, 4), color=VERMILLION)
        axes.set_yscale("log")
        axes.set_yticks([2.5, 3, 4, 6, 10, 20], labels=["2.5", "3", "4", "6", "10", "20"])
        axes.minorticks_off()
        axes.set(
            xlabel="bits per weight, scales included",
            ylabel="loss, nats per token",
            xlim=(1.8, 9),
            ylim=(2.05, None),
        )
        axes.grid(axis="y")
    return sheet


def loss(record: Record) -> Figure:
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
    return sheet


def histogram(record: Record) -> Figure:
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
            look = {"color": colour, "va": "center", "annotation_clip": False}
            label(axes, title, (largest, height), (10, 0), **look)
        axes.set(
            xlabel=f"weight (standard deviation {deviation:.3f})",
            ylabel="weights, logarithmic",
            ylim=(0, top * 40),
        )
        axes.set_yticks([0, 10, 100, 1000], labels=["0", "10", "100", "1,000"])
    return sheet


def outliers(record: Record) -> Figure:
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
        axes.set_xticks(range(1, len(points) + 1))
        axes.set_xlim(0.8, 1.2 * len(points))
        axes.set(xlabel="layer", ylabel="largest weight,\nstandard deviations", ylim=(0, None))
        axes.grid(axis="y")
        label_ends(axes)
    return sheet


FIGURES = (figures,)
