"""The figures of the labs: drawn when a lab is run, from what it just measured or planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.figures.drawing import Figure, drawing, label_ends, label_line
from scripts.figures.palette import BLUE, COLOURS, GREEN, INK, VERMILLION
from snippets.quantized_size import largest_level

if TYPE_CHECKING:
    from IPython.display import SVG

    from scripts.planner.answer import Answer

GiB = 2**30
HELD = {  # what a bar of memory is made of, and which of the planner's parts that is
    "weights": ("frozen_weights", "weights", "gathered_weights", "widened_matrix"),
    "gradients": ("gradients", "buckets"),
    "optimizer": ("optimizer",),
    "activations": ("activations", "logits", "gathered_states", "embedding_buffers", "overhead"),
    "CUDA": ("workspace", "driver"),
}


def picture(sheet: Figure, alt: str) -> SVG:
    """A drawing as a notebook shows it, with what a page offers of it: its words, title and data."""
    from IPython.display import SVG

    return SVG(sheet.svg, metadata={"alt": alt, "title": sheet.title, "rows": sheet.rows})


def rates(here: Mapping[str, float], published: Mapping[str, float]) -> Figure:
    """Bars of bytes/s: what was measured here, by work, above published devices' copies."""
    bars = [(f"here, now: {work}", rate, VERMILLION) for work, rate in here.items()]
    bars += [(f"{device}: copy", rate, BLUE) for device, rate in published.items()]
    height, title = 0.45 * len(bars) + 1, "Rates measured here and published"
    with drawing("rates", title, height=height) as sheet:
        axes = sheet.axes()
        for place, (name, rate, colour) in enumerate(bars):
            axes.barh(-place, rate / 1e9, color=colour, label=name)
            label_line(axes, rate / 1e9, -place, f"{rate / 1e9:,.1f}", colour=colour)
        axes.set_yticks([-place for place in range(len(bars))], [name for name, *_ in bars])
        axes.set_xlabel("GB/s, at the median")
        axes.margins(x=0.12)
    return sheet


def losses(
    rises: Mapping[str, Mapping[int, float]],
    widths: Mapping[str, Mapping[int, float]],
    *,
    tolerance: float,
    ruled: str,
    through: int,
) -> Figure:
    """Rise in loss, by series and bits, over the width that a weight really takes.

    A dashed line gives the `ruled` series the rise that the squared step predicts from its rise with
    `through` bits. What is not above zero has no place on a logarithmic axis and is left out.
    """
    with drawing("losses", "Rise in loss over bits per weight", height=4.2) as sheet:
        axes = sheet.axes()
        axes.set_yscale("log")
        for (name, rise), colour in zip(rises.items(), COLOURS, strict=False):
            above = [bits for bits in sorted(rise, reverse=True) if rise[bits] > 0]
            places = [widths[name][bits] for bits in above]
            axes.plot(places, [rise[bits] for bits in above], "o-", color=colour, label=name)
        if (start := rises[ruled][through]) > 0:
            steps = {
                bits: (largest_level(through) / largest_level(bits)) ** 2 for bits in rises[ruled]
            }
            ruler = {bits: start * steps[bits] for bits in sorted(steps, reverse=True)}
            places = [widths[ruled][bits] for bits in ruler]
            heights = list(ruler.values())
            axes.plot(places, heights, "--", color=INK, linewidth=1, label="squared step")
        axes.axhline(tolerance, color=GREEN, linewidth=1, label="tolerance")
        widest = max(max(width.values()) for width in widths.values())
        label_line(axes, widest, tolerance, "tolerance", colour=GREEN, offset=(0, 9))
        axes.invert_xaxis()  # so that lines end where they differ, and can be named there
        axes.set_xlabel("bits per weight, scales included")
        axes.set_ylabel("rise in loss, nats per token")
        axes.grid(axis="y")
        label_ends(axes)
    return sheet


def stages(answers: Mapping[int, Answer], *, card: str) -> Figure:
    """A bar of memory for each ZeRO stage, made of its parts, beside the memory of the card."""
    with drawing("stages", "Memory of a GPU by ZeRO stage", height=3.6) as sheet:
        axes = sheet.axes()
        left = dict.fromkeys(answers, 0.0)
        for (name, parts), colour in zip(HELD.items(), COLOURS, strict=False):
            held = {
                stage: sum(answer.memory.get(part, 0) for part in parts) / GiB
                for stage, answer in answers.items()
            }
            places = [-stage for stage in answers]
            axes.barh(
                places, list(held.values()), left=list(left.values()), color=colour, label=name
            )
            left = {stage: left[stage] + held[stage] for stage in answers}
        for stage, total in left.items():
            label_line(axes, total, -stage, f"{total:.1f}", colour=INK)
        available = next(iter(answers.values())).available / GiB
        axes.axvline(available, color=INK, linestyle="--", linewidth=1, label=card)
        axes.set_yticks([-stage for stage in answers], [f"ZeRO-{stage}" for stage in answers])
        axes.set_xlabel(f"GiB on the fullest GPU; dashed: one {card}")
        axes.margins(x=0.1)
        sheet.legend(axes.containers, len(HELD), above=True)
    return sheet


def changes(moves: Mapping[str, float], *, start: float) -> Figure:
    """By how many bytes each change moves the memory, from what lowers it most."""
    ordered: Sequence[tuple[str, float]] = sorted(moves.items(), key=lambda each: -each[1])
    height, title = 0.45 * len(moves) + 1, "What moves the memory of a GPU"
    with drawing("changes", title, height=height) as sheet:
        axes = sheet.axes()
        for place, (_, move) in enumerate(ordered):
            colour = VERMILLION if move > 0 else BLUE
            axes.barh(place, move / GiB, color=colour, label="change")
            side = (6, "left") if move > 0 else (-6, "right")
            look = {"offset": (side[0], 0), "ha": side[1]}
            label_line(axes, move / GiB, place, f"{move / GiB:+.1f}", colour=colour, **look)
        axes.axvline(0, color=INK, linewidth=1, label="the plan")
        axes.set_yticks(range(len(ordered)), [name for name, _ in ordered])
        axes.set_xlabel(f"change in GiB, from {start / GiB:.1f} GiB")
        axes.margins(x=0.15)
    return sheet
