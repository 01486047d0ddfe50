"""Clusters as charts: who sits where, where the peak goes, and which split is fastest when."""

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.records.record import Record
from scripts.render.style import (
    BLUE,
    COLOURS,
    GREEN,
    INK,
    ON_COLOUR,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    figure,
    label_line,
)
from snippets.cluster_choice import FAMILIES, fastest_plan, feasible_plans
from snippets.cluster_plan import memory_total, plan_memory
from snippets.cluster_time import plan_time, time_total, unexplained_seconds
from snippets.clusters import (
    ClusterPlan,
    llama_3_405b_long_run,
    llama_3_405b_run,
    llama_3_cluster,
)
from snippets.models import Model, llama_3_1_8b, llama_3_1_70b, llama_3_1_405b

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIMES = {
    "arithmetic": "arithmetic at peak",
    "below_peak": "products below peak",
    "tensor": "tensor split's sums",
    "context": "context split's keys",
    "bubble": "pipeline's bubble",
}
TIME_COLOURS = (BLUE, SKY, VERMILLION, PURPLE, ORANGE)
CLUSTER_SIZES = [2**power for power in range(3, 15)]
MODELS = (llama_3_1_8b, llama_3_1_70b, llama_3_1_405b)
FAMILY_COLOURS = dict(zip(FAMILIES, (BLUE, GREEN, ORANGE, VERMILLION), strict=True))


def render(mesh: Record) -> dict[str, bytes]:
    """The figures by path under docs/; the layout is that of a measured mesh."""
    return {
        **_layout(mesh),
        **_peak(),
        **_choice(),
    }


def _layout(mesh: Record) -> dict[str, bytes]:
    """Ranks as boxes: tensor neighbours touch, stages follow to the right, copies below."""
    layout = mesh.results["layout"]
    with figure("rank-layout", "Eight ranks split three ways", width=7, height=3.6) as sheet:
        axes = sheet.axes()
        for number, rank in mesh.results["ranks"].items():
            place = rank["place"]
            x = 4 * place["pipeline"] + place["tensor"]
            y = 2.2 * place["data"]
            sheet.rows.append({"rank": int(number), **place})
            axes.barh(y, 0.94, height=0.9, left=x, color=COLOURS[place["data"]])
            axes.text(x + 0.47, y, number, ha="center", va="center", fontsize=16, color=ON_COLOUR)
        for data in range(layout["data"]):
            y = 2.2 * data
            axes.text(-0.4, y, f"copy {data + 1}", ha="right", va="center")
            axes.annotate("", (3.9, y), (2.1, y), arrowprops={"arrowstyle": "<->", "color": INK})
            axes.text(3, y - 0.15, "hidden states", ha="center", fontsize=11)
        for pipeline in range(layout["pipeline"]):
            x = 4 * pipeline + 0.97
            axes.text(x, -0.75, f"stage {pipeline + 1}", ha="center")
            axes.text(x, 0.68, "sums in every layer", ha="center", fontsize=11)
            axes.annotate("", (x, 1.65), (x, 0.8), arrowprops={"arrowstyle": "<->", "color": INK})
            axes.text(x + 0.15, 1.3, "gradients, once a step", fontsize=11)
        axes.set(xlim=(-1.8, 8.1), ylim=(2.9, -1.1))
        axes.set_axis_off()
    return sheet.files


def _peak() -> dict[str, bytes]:
    """Two bars for each part of a step: its share of the published time, as far as explained."""
    runs = (llama_3_405b_run, llama_3_405b_long_run)
    names = [*TIMES.values(), "not explained"]
    with figure("where-the-peak-goes", "Where the peak goes", width=7, height=4.6) as sheet:
        axes = sheet.axes()
        for index, (plan, colour) in enumerate(zip(runs, (BLUE, ORANGE), strict=True)):
            time = plan_time(plan)
            step = time.arithmetic / plan.utilisation
            seconds = [*(getattr(time, part) for part in TIMES), unexplained_seconds(plan)]
            for row, part in enumerate(seconds):
                share, y = 100 * part / step, row + 0.4 * (index - 0.5)
                unknown = row == len(TIMES)
                name = f"sequences of {plan.tokens:,} tokens"
                alpha = 0.4 if unknown else 1
                axes.barh(y, share, height=0.36, color=colour, alpha=alpha, label=name)
                if row == 0:
                    axes.text(0.6, y, name, va="center", fontsize=11, color=ON_COLOUR)
                axes.text(share + 0.6, y, f"{share:.0f}%", va="center", fontsize=11)
        axes.set_yticks(range(len(names)), names)
        axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, 50), xlabel="share of the step (%)")
    return sheet.files


@functools.cache
def _fastest(model: str, gpus: int) -> dict[str, ClusterPlan | None]:
    named = {candidate.name: candidate for candidate in MODELS}
    plans = feasible_plans(
        model=named[model],
        cluster=llama_3_cluster,
        gpus=gpus,
        tokens=llama_3_405b_run.tokens,
        sequences=llama_3_405b_run.sequences,
    )
    return {family: fastest_plan(plans, family) for family in FAMILIES}


def _choice() -> dict[str, bytes]:
    """Time, share of the peak and memory, by GPUs, of each family's fastest plan that fits."""
    with figure("which-split", "Which split is the fastest when", width=8, height=8.8) as sheet:
        for column, model in enumerate(MODELS):
            time, share, memory = (sheet.axes(3, 3, 3 * row + column + 1) for row in range(3))
            for family, colour in FAMILY_COLOURS.items():
                _family(time, share, memory, model, family, colour)
            time.set_title(model.name)
            time.set(yscale="log", ylim=(0.08, 2000))
            time.set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1,000"])
            time.set_ylabel("seconds per step")
            share.set(ylim=(0, 90), ylabel="arithmetic's share (%)")
            memory.set(ylim=(0, 95), ylabel="GB held by a GPU")
            limit = llama_3_cluster.accelerator.memory / 1e9
            memory.axhline(limit, color=INK, lw=0.8, ls="--", label="memory of an H100")
            for axes in (time, share, memory):
                axes.set(xscale="log", xlim=(6, 22000))
                axes.set_xticks([8, 256, 16384], ["8", "256", "16,384"])
                axes.minorticks_off()
                axes.grid(axis="y")
                axes.tick_params(labelleft=column == 0)
                axes.yaxis.label.set_visible(column == 0)
                axes.set_xlabel("GPUs")
                axes.xaxis.label.set_visible(axes is memory)
                axes.set_label(model.name)
            if column == 0:
                memory.text(7, limit + 1, "memory of an H100", fontsize=10)
        sheet.figure.legend(
            handles=sheet.figure.axes[0].get_lines(),
            loc="outside lower center",
            ncols=2,
            frameon=False,
        )
    return sheet.files


def _family(
    time: "Axes", share: "Axes", memory: "Axes", model: Model, family: str, colour: str
) -> None:
    plans = {gpus: _fastest(model.name, gpus)[family] for gpus in CLUSTER_SIZES}
    fitting = {gpus: plan for gpus, plan in plans.items() if plan is not None}
    times = [plan_time(plan) for plan in fitting.values()]
    held = [memory_total(plan_memory(plan)) / 1e9 for plan in fitting.values()]
    for axes, values in (
        (time, [time_total(each) for each in times]),
        (share, [100 * each.arithmetic / time_total(each) for each in times]),
        (memory, held),
    ):
        axes.plot(list(fitting), values, color=colour, marker="o", ms=3.5, lw=1.3, label=family)


def collectives(records: Mapping[str, Record]) -> dict[str, bytes]:
    """Bytes that a rank sends in a second, by the size of the buffer, on each device."""
    with figure("collectives", "All-reduce and all-gather by size", height=3.8) as sheet:
        axes = sheet.axes()
        for index, record in enumerate(records.values()):
            for name, line in (("all_reduce", "-"), ("all_gather", "--")):
                found = sorted(record.results[name].values(), key=lambda each: each["buffer_bytes"])
                sizes = [each["buffer_bytes"] for each in found]
                rates = [each["bytes_sent_per_second"] / 1e9 for each in found]
                colour = COLOURS[(2 * index + (name == "all_gather")) % len(COLOURS)]
                words = f"{name.replace('_', '-')}, {record.device['slug']}"
                axes.plot(sizes, rates, line, marker="o", ms=4, color=colour, label=words)
                label_line(
                    axes,
                    sizes[-1],
                    rates[-1],
                    words.replace(", ", ",\n"),
                    colour=colour,
                    va="center" if name == "all_reduce" else "top",
                    fontsize=10,
                )
        sheet.columns["whole buffer"] = "whole buffer, bytes"
        axes.set(xscale="log", yscale="log", xlabel="whole buffer", ylabel="GB/s sent by a rank")
        axes.set_xticks([10**power for power in range(4, 8)], ["10 kB", "100 kB", "1 MB", "10 MB"])
        axes.yaxis.set_major_formatter("{x:g}")
        axes.margins(x=0.2)
        axes.grid()
    return sheet.files
