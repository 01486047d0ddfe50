"""A ruler with fifteen marks over real weights."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scripts.figures.drawing import BLUE, INK, Figure, figure
from scripts.records.record import Record
from snippets.quantization import dequantize, group_scales, quantize
from snippets.quantized_size import largest_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUP = 32
RULER_BITS = 4


def ruler(records: Sequence[Record]) -> Figure:
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
    return sheet


def _marks(axes: "Axes", scale: float) -> None:
    highest = largest_level(RULER_BITS)
    axes.plot([-highest * scale, highest * scale], [0, 0], color=INK, lw=1.5)
    for level in range(-highest, highest + 1):
        axes.plot([level * scale] * 2, [-0.1, 0.06], color=INK, lw=1.5)
        axes.text(
            level * scale, -0.16, f"{level}".replace("-", "−"), ha="center", va="top", fontsize=12
        )


FIGURES = (ruler,)
