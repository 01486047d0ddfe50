"""Memory through two training steps, by what it is for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scripts.experiments.training_memory.measure import DRAWN
from scripts.experiments.training_memory.tables import RECIPES
from scripts.figures.drawing import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    Figure,
    figure,
    label,
)
from scripts.records.record import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def timelines(records: Sequence[Record]) -> Iterator[Figure]:
    """A row for each recipe that is drawn; one figure for each device with timelines."""
    for record in records:
        found = record.results.get("timelines", {})
        drawn = {RECIPES[name][0]: found[name] for name in DRAWN if name in found}
        if not drawn:
            continue
        name, height = f"training-timeline-{record.device['slug']}", 2.9 * len(drawn)
        with figure(name, "Memory through two training steps", height=height) as sheet:
            rows: list[Axes] = []
            for index, (words, timeline) in enumerate(drawn.items(), 1):
                axes = sheet.axes(len(drawn), 1, index)
                _draw(axes, timeline)
                axes.set_title(words, pad=22)
                sheet.rows += _rows(words, timeline)
                rows.append(axes)
            top = max(axes.get_ylim()[1] for axes in rows)
            for axes in rows:
                axes.set_ylim(0, top)
            named = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in rows]
            handles = {label: handle for each in named for handle, label in each}
            sheet.canvas.legend(
                handles.values(),
                handles.keys(),
                loc="outside lower center",
                ncols=3,
                frameon=False,
            )
        yield sheet


def _rows(recipe: str, timeline: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each operation with its phase and the bytes per parameter of each category."""
    per = timeline["parameters"]
    ends = [(PHASES[phase], end) for phase, end in timeline["ends"].items() if phase in PHASES]
    for index, operation in enumerate(timeline["operations"]):
        yield {
            "recipe": recipe,
            "operation": operation,
            "phase": next((phase for phase, end in ends if operation <= end), "after"),
            **{
                f"{label}, bytes per parameter": timeline["bytes"][name][index] / per
                for name, (label, _) in CATEGORIES.items()
                if name in timeline["bytes"]
            },
        }


def _draw(axes: "Axes", timeline: Mapping[str, Any]) -> None:
    operations, per = timeline["operations"], timeline["parameters"]
    shown = {name: look for name, look in CATEGORIES.items() if name in timeline["bytes"]}
    axes.stackplot(
        operations,
        [[count / per for count in timeline["bytes"][name]] for name in shown],
        labels=[label for label, _ in shown.values()],
        colors=[colour for _, colour in shown.values()],
        linewidth=0,
    )
    begin = timeline["ends"]["model"]
    for phase, words in PHASES.items():
        if phase not in timeline["ends"]:
            continue
        end = timeline["ends"][phase]
        axes.axvline(end, color=INK, lw=0.8, ls=":")
        middle, above = ((begin + end) / 2, 1), axes.get_xaxis_transform()
        label(axes, words, middle, (0, 4), xycoords=above, ha="center")
        begin = end
    axes.axhline(16, color=VERMILLION, lw=1, ls="--")
    axes.set(
        xlim=(timeline["ends"]["model"], operations[-1]),
        xticks=[],
        ylabel="bytes per parameter",
    )


FIGURES = (timelines,)
