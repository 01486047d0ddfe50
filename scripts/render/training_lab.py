"""Chapter 2's training memory: each recipe predicted beside counted, and memory through two steps."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scripts.records.record import Record
from scripts.render.markdown import Table
from scripts.render.style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Each recipe in words, and what the chapter's arithmetic predicts for it, where it does.
RECIPES = {
    "fp32_adamw_foreach": ("FP32, AdamW over all tensors at once", "FULL_PRECISION"),
    "fp32_adamw_fused": ("FP32, AdamW fused", "FULL_PRECISION"),
    "autocast_adamw_foreach": ("autocast, AdamW over all tensors at once", "FULL_PRECISION"),
    "autocast_adamw_fused": ("autocast, AdamW fused", "FULL_PRECISION"),
    "bf16_master": ("BF16 with an FP32 master copy", "MIXED_PRECISION"),
    "bf16_master_gradients": ("the same, FP32 gradients kept beside", "BOTH_GRADIENTS"),
    "fp32_sgd_momentum": ("FP32, SGD with momentum", ""),
    "fp32_adafactor": ("FP32, Adafactor", ""),
    "fp32_muon": ("FP32, Muon inside the layers, AdamW outside", ""),
    "fp32_adamw_8bit": ("FP32, AdamW with moments in INT8", ""),
}
WORKSPACES = {"no_workspace": "none", "one_workspace": "one", "two_workspaces": "two"}
CATEGORIES = {
    "weights": ("weights", BLUE),
    "master_weights": ("FP32 master copy", SKY),
    "gradients": ("gradients", ORANGE),
    "optimizer": ("optimizer", GREEN),
    "activations": ("activations", PURPLE),
    "temporaries": ("temporaries", INK),
}
DRAWN = {
    "fp32_adamw_foreach": "FP32, AdamW over all tensors at once",
    "autocast_adamw_fused": "autocast, AdamW fused",
    "bf16_master": "BF16 with an FP32 master copy",
}
PHASES = {
    "forward": "forward",
    "backward": "backward",
    "first_step": "step",
    "second_forward": "forward",
    "second_backward": "backward",
    "second_step": "step",
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """Tables and figures by path under docs/, of every device that this repository measured."""
    tables = (table(records) for table in MEASURED)
    made = {f"tables/{table.name}.md": table.markdown().encode() for table in tables}
    for record in _training(records).values():
        made |= _timeline(record)
    return made


def _training(records: Mapping[str, Record]) -> dict[str, Record]:
    return {
        key: record
        for key, record in records.items()
        if record.experiment == "training-memory" and "recipes" in record.results
    }


def _recipes(records: Mapping[str, Record]) -> Table:
    """Predicted and held, recipe by recipe, and the most at any moment of two steps."""
    table = Table(
        "training-recipes",
        "device",
        "recipe",
        "predicted, bytes per parameter",
        "held after the first step",
        "held over predicted",
        "peak of the update itself",
        records=records,
    )
    for key, record in _training(records).items():
        for name, (words, state) in RECIPES.items():
            found = record.results["recipes"].get(name)
            if found is None:
                continue
            slug = f"`{record.device['slug']}`"
            if "not_run" in found:
                table.row(slug, words, "", f"not run: {found['not_run']}", "", "")
                continue
            held = f"{key}: recipes.{name}.bytes_per_parameter"
            step = f"{key}: recipes.{name}.phases.first_step.peak_bytes_per_parameter"
            predicted = f"bytes_per_parameter({state})"
            table.row(
                slug,
                words,
                table.number("calc", predicted) if state else "",
                table.number("record", held, decimals=4),
                table.number("calc", f"record('{held}') / {predicted}", decimals=4)
                if state
                else "",
                table.number("record", step, decimals=2),
            )
    return table


def _explained(records: Mapping[str, Record]) -> Table:
    """What lies between the sum of all tensors and what is counted from outside."""
    table = Table(
        "training-explained",
        "device",
        "recipe",
        "counted by",
        "workspaces of libraries",
        "least, bytes per parameter",
        "most",
        records=records,
    )
    for key, record in _training(records).items():
        table.of(record)
        for name, found in record.results.get("scan", {}).items():
            for workspaces, count in WORKSPACES.items():
                if workspaces in found:
                    place = f"{key}: scan.{name}.{workspaces}"
                    table.row(
                        RECIPES[name][0],
                        "CUDA's allocator, replayed over batches of many sizes",
                        count,
                        table.number("record", f"{place}.least", decimals=2),
                        table.number("record", f"{place}.most", decimals=2),
                    )
        for name, found in record.results.get("resident", {}).items():
            for kept, words in (
                ("without_library_buffers", "given back"),
                ("with_library_buffers", "kept"),
            ):
                if kept in found:
                    place = f"{key}: resident.{name}.{kept}.bytes_per_parameter"
                    value = table.number("record", place, decimals=2)
                    table.row(
                        RECIPES[name][0], "the operating system, on a CPU", words, value, value
                    )
    return table


MEASURED = (_recipes, _explained)


def _timeline(record: Record) -> dict[str, bytes]:
    """Memory through two training steps, by what it is for, one row of the figure per recipe."""
    drawn = {name: words for name, words in DRAWN.items() if name in record.results["timelines"]}
    with figure(
        f"training-timeline-{record.device['slug']}",
        "Memory through two training steps",
        height=2.9 * len(drawn),
    ) as sheet:
        rows: list[Axes] = []
        for index, (name, words) in enumerate(drawn.items(), 1):
            axes = sheet.axes(len(drawn), 1, index)
            _draw(axes, record.results["timelines"][name])
            axes.set_title(words, pad=22)
            sheet.rows += _rows(words, record.results["timelines"][name])
            rows.append(axes)
        top = max(axes.get_ylim()[1] for axes in rows)
        for axes in rows:
            axes.set_ylim(0, top)
        handles = {
            label: handle
            for axes in rows
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        sheet.figure.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False
        )
    return sheet.files


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
        axes.annotate(
            words,
            ((begin + end) / 2, 1),
            xycoords=axes.get_xaxis_transform(),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
        )
        begin = end
    axes.axhline(16, color=VERMILLION, lw=1, ls="--")
    axes.set(
        xlim=(timeline["ends"]["model"], operations[-1]),
        xticks=[],
        ylabel="bytes per parameter",
    )
