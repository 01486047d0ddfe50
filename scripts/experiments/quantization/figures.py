"""The loss for each width, and the weights that are rounded."""

import numpy as np

from scripts.experiments.quantization.tables import BITS, GROUP, is_embedded, is_reported
from scripts.figures.drawing import Figure, figure, label, label_ends
from scripts.figures.palette import BLUE, GREEN, INK, ORANGE, VERMILLION
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
    "query_key_value": ("queries, keys, values", BLUE),
    "dense": ("attention's output", GREEN),
    "dense_h_to_4h": ("MLP, first", ORANGE),
    "dense_4h_to_h": ("MLP, second", VERMILLION),
}


@figure("loss-by-bits-{device}", "Loss against bits per weight", where=is_reported, height=4.4)
def reported_loss(sheet: Figure, record: Record) -> None:
    """The loss that a lesson states of Pythia-1.4B, over the bits of a weight with its scale."""
    axes, baseline = sheet.axes(), lookup(record, "loss.per_group.16")
    axes.axhline(baseline, color=INK, lw=1, ls="--", label="FP16")
    label(axes, f"FP16, {baseline}", (9, baseline), (0, -4), va="top", ha="right")
    widths = [bits_per_weight(bits, GROUP) for bits in BITS]
    grouped = [lookup(record, f"loss.per_group.{bits}") for bits in BITS]
    whole = [lookup(record, f"loss.per_matrix.{bits}") for bits in BITS]
    group = f"one scale per {GROUP} weights"
    axes.plot(widths, grouped, color=BLUE, marker="o", label=group)
    axes.plot(BITS, whole, color=VERMILLION, marker="s", label="one scale per matrix")
    words = f"one scale\nper {GROUP} weights" if sheet.narrow else group
    label(axes, words, (widths[4], grouped[4]), (10, 6), color=BLUE)
    label(axes, "one scale per matrix", (BITS[3], whole[3]), (10, 4), color=VERMILLION)
    axes.set_yscale("log")
    axes.set_yticks([2.5, 3, 4, 6, 10, 20], labels=["2.5", "3", "4", "6", "10", "20"])
    axes.minorticks_off()
    axes.set(xlabel="bits per weight, scales included", ylabel="loss, nats per token")
    axes.set(xlim=(1.8, 9), ylim=(2.05, None))
    axes.grid(axis="y")


EMBEDDED = "Rise in loss against bits per weight, embedded model"


@figure("lab-loss-by-bits-{device}", EMBEDDED, where=is_embedded, height=4.4)
def loss(sheet: Figure, record: Record) -> None:
    """What rounding adds to the loss. Next to nothing can be less than nothing, so the axis bends."""
    axes, unrounded = sheet.axes(), lookup(record, "loss.per_group_32.16")
    axes.axhline(0, color=INK, lw=1, ls="--", label="unrounded")
    for name, (title, colour) in GRANULARITIES.items():
        widths = [lookup(record, f"bits_per_weight.{name}.{bits}") for bits in BITS]
        rises = [lookup(record, f"loss.{name}.{bits}") - unrounded for bits in BITS]
        axes.plot(widths, rises, color=colour, marker="o", ms=5, label=title)
    axes.legend(frameon=False, labelcolor="linecolor")
    axes.set_yscale("symlog", linthresh=0.01)
    axes.set_yticks([0, 0.01, 0.1, 1], labels=["0", "0.01", "0.1", "1"])
    axes.set_xlabel("bits per weight, scales included")
    axes.set(ylabel="nats per token\nmore than unrounded", xlim=(1.8, 9), ylim=(-0.005, 8))
    axes.grid(axis="y")


LEVELS = "Weights of one matrix and the levels of two rulers"


@figure("lab-histogram-{device}", LEVELS, where=is_embedded, height=4.6)
def histogram(sheet: Figure, record: Record) -> None:
    """All weights of the matrix in the middle, with the levels that each ruler offers them."""
    axes, middle = sheet.axes(), record.results["median_matrix"]
    counts, largest = middle["histogram"], middle["largest_magnitude"]
    edges = np.linspace(-largest, largest, len(counts) + 1)
    sheet.rows += [
        {"series": "weights", "weight, from": low, "weight, to": high, "weights": count}
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    axes.stairs(counts, edges, fill=True, color=INK, alpha=0.8)
    axes.set_yscale("symlog", linthresh=10)
    top, bits = max(counts), middle["drawn_bits"]
    level = largest_level(bits)
    group = np.array(middle["first_group_of_its_widest_row"], dtype=np.float32)
    for height, name, title, scale in (
        (top * 12, "per_matrix", "per matrix", largest / level),
        (
            *(top * 3, "per_group_32", "one group's ruler"),
            float(group_scales(group, bits=bits, group=GROUP)[0, 0]),
        ),
    ):
        levels, colour = np.arange(-level, level + 1) * scale, GRANULARITIES[name][1]
        axes.plot(levels, np.full(len(levels), height), "|", color=colour, ms=13, mew=2)
        sheet.rows += [{"series": f"levels, {title}", "weight, from": each} for each in levels]
        look = {"color": colour, "va": "center", "annotation_clip": False}
        label(axes, title, (largest, height), (10, 0), **look)
    axes.set_xlabel(f"weight (standard deviation {middle['standard_deviation']:.3f})")
    axes.set(ylabel="weights, logarithmic", ylim=(0, top * 40))
    axes.set_yticks([0, 10, 100, 1000], labels=["0", "10", "100", "1,000"])


@figure("lab-outliers-{device}", "Outliers over the layers", where=is_embedded, height=3.8)
def outliers(sheet: Figure, record: Record) -> None:
    """Each kind of matrix a line over the layers: its largest weight in standard deviations."""
    axes, matrix = sheet.axes(), record.results["matrix"]
    heights: dict[str, list[float]] = {}  # layer by layer
    deviations = matrix["outlier_standard_deviations"]["of_each"]
    for name, deviation in zip(matrix["names"], deviations, strict=True):
        heights.setdefault(name.removesuffix(".weight").rpartition(".")[2], []).append(deviation)
    for kind, of_layers in heights.items():
        (title, colour), layers = KINDS[kind], range(1, len(of_layers) + 1)
        axes.plot(layers, of_layers, color=colour, marker="o", ms=5, label=title)
    axes.set_xticks(layers)
    axes.set_xlim(0.8, 1.2 * len(layers))
    axes.set(xlabel="layer", ylabel="largest weight,\nstandard deviations", ylim=(0, None))
    axes.grid(axis="y")
    label_ends(axes)
