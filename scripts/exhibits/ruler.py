"""A ruler with fifteen levels over real weights."""

import numpy as np

from scripts.figures.drawing import Figure, figure
from scripts.figures.palette import BLUE, INK
from snippets.quantization import dequantize, group_scales, quantize
from snippets.quantized_size import largest_level

GROUP = 32
BITS = 4


@figure("ruler", "Weights on a ruler", height=3)
def ruler(sheet: Figure) -> None:
    """A group of weights, each led to the nearest of the levels that four bits give."""
    weights = np.random.default_rng(0).normal(0, 0.02, GROUP)
    scales = group_scales(weights, bits=BITS, group=GROUP)
    restored = dequantize(quantize(weights, scales, bits=BITS), scales).ravel()
    scale, highest, axes = float(scales[0, 0]), largest_level(BITS), sheet.axes()
    axes.plot(weights, np.full(GROUP, 1.0), "o", color=BLUE, ms=6, alpha=0.8)
    for weight, value in zip(weights, restored, strict=True):
        axes.plot([weight, value], [0.93, 0.08], color=BLUE, lw=0.8, alpha=0.8)
        level = round(value / scale)
        sheet.rows.append({"weight": weight, "level": level, "level times scale": value})
    axes.plot([-highest * scale, highest * scale], [0, 0], color=INK, lw=1.5)
    for level in range(-highest, highest + 1):
        axes.plot([level * scale] * 2, [-0.1, 0.06], color=INK, lw=1.5)
        words = f"{level}".replace("-", "−")
        axes.text(level * scale, -0.16, words, ha="center", va="top", fontsize=10)
    left = -7.4 * scale
    axes.text(left, 1.16, f"{GROUP} weights of one group", color=BLUE, va="bottom")
    said = f"with s = {scale:.4f} = largest magnitude / {highest}"
    end = "\n" if sheet.narrow else " "
    axes.text(left, -0.62, f"level q stands for q × s,{end}{said}", va="top")
    axes.set(xlim=(-7.6 * scale, 7.6 * scale), ylim=(-0.95, 1.5))
    axes.set_axis_off()
