"""Memory through two training steps, by what it is for."""

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.experiments.training_memory.measure import DRAWN
from scripts.experiments.training_memory.tables import RECIPES
from scripts.figures.drawing import Axes, Figure, figure, label
from scripts.figures.palette import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION
from scripts.records.record import Record

CATEGORIES = {
    "weights": ("weights", BLUE),
    "master_weights": ("FP32 master copy", SKY),
    "gradients": ("gradients", ORANGE),
    "optimizer": ("optimizer", GREEN),
    "activations": ("activations", PURPLE),
    "temporaries": ("temporaries", INK),
}
PHASES = {
    "forward": "forward",
    "backward": "backward",
    "first_step": "step",
    "second_forward": "forward",
    "second_backward": "backward",
    "second_step": "step",
}


@figure(
    "training-timeline-{device}",
    "Memory through two training steps",
    where=lambda record: record.results.get("timelines"),
    height=1,
)
def timelines(sheet: Figure, record: Record) -> None:
    """A row for each recipe that is drawn."""
    found = record.results["timelines"]
    drawn = {RECIPES[name][0]: found[name] for name in DRAWN if name in found}
    sheet.canvas.set_figheight(2.9 * len(drawn))
    rows: list[Axes] = []
    for index, (words, timeline) in enumerate(drawn.items(), 1):
        axes = sheet.axes(len(drawn), 1, index)
        _draw(axes, timeline, apart=11 if sheet.narrow else 0)
        axes.set_title(words, pad=34 if sheet.narrow else 22)
        sheet.rows += _rows(words, timeline)
        rows.append(axes)
    top = max(axes.get_ylim()[1] for axes in rows)
    for axes in rows:
        axes.set_ylim(0, top)
    named = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in rows]
    sheet.legend(
        {name: handle for each in named for handle, name in each}.values(), 2 if sheet.narrow else 3
    )


def _rows(recipe: str, timeline: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each operation with its phase and the bytes per parameter of each category."""
    per, held = timeline["parameters"], timeline["bytes"]
    ends = [(PHASES[phase], end) for phase, end in timeline["ends"].items() if phase in PHASES]
    for index, operation in enumerate(timeline["operations"]):
        phase = next((phase for phase, end in ends if operation <= end), "after")
        yield {"recipe": recipe, "operation": operation, "phase": phase} | {
            f"{words}, bytes per parameter": held[name][index] / per
            for name, (words, _) in CATEGORIES.items()
            if name in held
        }


def _draw(axes: Axes, timeline: Mapping[str, Any], *, apart: float) -> None:
    """One recipe's bytes; the names of its phases stand on two lines, so many points `apart`."""
    operations, per, held = timeline["operations"], timeline["parameters"], timeline["bytes"]
    shown = {name: look for name, look in CATEGORIES.items() if name in held}
    heights = [[count / per for count in held[name]] for name in shown]
    words, colours = zip(*shown.values(), strict=True)
    axes.stackplot(operations, heights, labels=words, colors=colours, linewidth=0)
    begin = timeline["ends"]["model"]
    for number, (phase, said) in enumerate(PHASES.items()):
        if phase in timeline["ends"]:
            end = timeline["ends"][phase]
            axes.axvline(end, color=INK, lw=0.8, ls=":")
            middle, above = ((begin + end) / 2, 1), axes.get_xaxis_transform()
            offset = (0, 4 + apart * (number % 2))
            label(axes, said, middle, offset, xycoords=above, ha="center")
            begin = end
    axes.axhline(16, color=VERMILLION, lw=1, ls="--")
    axes.set(xlim=(timeline["ends"]["model"], operations[-1]), xticks=[])
    axes.set_ylabel("bytes per parameter")
