"""Chapter 5: what fewer bits cost, and a ruler with fifteen marks over real weights."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from scripts.records.record import Record, lookup
from scripts.render.markdown import Table
from scripts.render.style import BLUE, INK, VERMILLION, figure
from snippets.quantization import dequantize, group_scales, quantize
from snippets.quantized_size import bits_per_weight, largest_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RECORD = "rtx-3060/quantization"
BITS = (8, 6, 5, 4, 3, 2)
GROUP = 32
RULER_BITS = 4


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The table and the figures by path under docs/."""
    return {
        "tables/quantization.md": _table(records).encode(),
        **_loss_by_bits(records[RECORD]),
        **_ruler(),
    }


def _table(records: Mapping[str, Record]) -> str:
    table = Table(
        "quantization",
        "device",
        "bits",
        "bits with the group's scale",
        "loss, one scale per group",
        "more than FP16",
        "loss, one scale per matrix",
        "more than FP16",
        records=records,
    )
    table.of(records[RECORD])
    baseline = f"record('{RECORD}: loss.per_group.16')"
    table.row(
        "FP16",
        table.number("cite", "FP16.bits"),
        table.number("record", f"{RECORD}: loss.per_group.16"),
        "",
        table.number("record", f"{RECORD}: loss.per_matrix.16"),
        "",
    )
    for bits in BITS:
        cells = []
        for scales in ("per_group", "per_matrix"):
            field = f"{RECORD}: loss.{scales}.{bits}"
            decimals = len(repr(table.value("record", field)).partition(".")[2])
            cells.append(table.number("record", field))
            cells.append(table.number("calc", f"record('{field}') - {baseline}", decimals=decimals))
        width = f"bits_per_weight({bits}, {GROUP})"
        table.row(
            table.number("calc", f"bits_per_weight({bits}, {GROUP}, scale_bits=0)"),
            table.number("calc", width),
            *cells,
        )
    return table.markdown()


def _loss_by_bits(record: Record) -> dict[str, bytes]:
    with figure("loss-by-bits", "Loss against bits per weight", height=4.4) as sheet:
        axes = sheet.axes()
        baseline = lookup(record, "loss.per_group.16")
        axes.axhline(baseline, color=INK, lw=1, ls="--", label="FP16")
        axes.annotate(
            f"FP16, {baseline}",
            (9, baseline),
            xytext=(0, -4),
            textcoords="offset points",
            va="top",
            ha="right",
        )
        widths = [bits_per_weight(bits, GROUP) for bits in BITS]
        grouped = [lookup(record, f"loss.per_group.{bits}") for bits in BITS]
        whole = [lookup(record, f"loss.per_matrix.{bits}") for bits in BITS]
        group = f"one scale per {GROUP} weights"
        axes.plot(widths, grouped, color=BLUE, marker="o", label=group)
        axes.plot(BITS, whole, color=VERMILLION, marker="s", label="one scale per matrix")
        axes.annotate(
            group,
            (widths[4], grouped[4]),
            xytext=(10, 6),
            textcoords="offset points",
            color=BLUE,
        )
        axes.annotate(
            "one scale per matrix",
            (BITS[3], whole[3]),
            xytext=(10, 4),
            textcoords="offset points",
            color=VERMILLION,
        )
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
    return sheet.files


def _ruler() -> dict[str, bytes]:
    """A group of weights, each led to the nearest of the marks that four bits give."""
    weights = np.random.default_rng(0).normal(0, 0.02, GROUP)
    scales = group_scales(weights, bits=RULER_BITS, group=GROUP)
    restored = dequantize(quantize(weights, scales, bits=RULER_BITS), scales).ravel()
    scale = float(scales[0, 0])
    with figure("ruler", "Weights on a ruler", height=3) as sheet:
        axes = sheet.axes()
        axes.plot(weights, np.full(GROUP, 1.0), "o", color=BLUE, ms=6, alpha=0.8)
        for weight, mark in zip(weights, restored, strict=True):
            axes.plot([weight, mark], [0.93, 0.08], color=BLUE, lw=0.8, alpha=0.6)
            level = round(mark / scale)
            sheet.rows.append({"weight": weight, "mark": level, "mark times scale": mark})
        _marks(axes, scale)
        axes.text(-7.4 * scale, 1.16, f"{GROUP} weights of one group", color=BLUE, va="bottom")
        axes.text(
            -7.4 * scale,
            -0.62,
            f"mark q stands for q × s, with s = {scale:.4f} = largest magnitude / "
            f"{largest_level(RULER_BITS)}",
            va="top",
        )
        axes.set(xlim=(-7.6 * scale, 7.6 * scale), ylim=(-0.95, 1.5))
        axes.set_axis_off()
    return sheet.files


def _marks(axes: "Axes", scale: float) -> None:
    highest = largest_level(RULER_BITS)
    axes.plot([-highest * scale, highest * scale], [0, 0], color=INK, lw=1.5)
    for level in range(-highest, highest + 1):
        axes.plot([level * scale] * 2, [-0.1, 0.06], color=INK, lw=1.5)
        axes.text(
            level * scale, -0.16, f"{level}".replace("-", "−"), ha="center", va="top", fontsize=12
        )
