"""Clusters as charts: who sits where, where the peak goes, and which split is fastest when."""

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.records import Record
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
        "figures/rank-layout.svg": _layout(mesh),
        "figures/where-the-peak-goes.svg": _peak(),
        "figures/which-split.svg": _choice(),
    }


def _layout(mesh: Record) -> bytes:
    """Ranks as boxes: tensor neighbours touch, stages follow to the right, copies below."""
    layout = mesh.results["layout"]
    with figure("Eight ranks split three ways", width=7, height=3.6) as sheet:
        axes = sheet.axes()
        for number, rank in mesh.results["ranks"].items():
            place = rank["place"]
            x = 4 * place["pipeline"] + place["tensor"]
            y = 2.2 * place["data"]
            axes.barh(y, 0.94, height=0.9, left=x, color=COLOURS[place["data"]])
            axes.text(x + 0.47, y, number, ha="center", va="center", fontsize=16, color=ON_COLOUR)
        for data in range(layout["data"]):
            y = 2.2 * data
            axes.text(-0.4, y, f"copy {data + 1}", ha="right", va="center")
            axes.annotate("", (3.9, y), (2.1, y), arrowprops={"arrowstyle": "<->", "color": INK})
            axes.text(3, y - 0.15, "hidden states", ha="center", fontsize=10)
        for pipeline in range(layout["pipeline"]):
            x = 4 * pipeline + 0.97
            axes.text(x, -0.75, f"stage {pipeline + 1}", ha="center")
            axes.text(x, 0.68, "sums in every layer", ha="center", fontsize=9)
            axes.annotate("", (x, 1.65), (x, 0.8), arrowprops={"arrowstyle": "<->", "color": INK})
            axes.text(x + 0.15, 1.3, "gradients, once a step", fontsize=9)
        axes.set(xlim=(-1.8, 7.6), ylim=(2.9, -1.1))
        axes.set_axis_off()
    return sheet.svg


def _peak() -> bytes:
    """Each layout's step as one bar: what the published time went to, as far as this explains."""
    runs = {
        f"{llama_3_405b_run.tokens:,} tokens": llama_3_405b_run,
        f"{llama_3_405b_long_run.tokens:,} tokens": llama_3_405b_long_run,
    }
    with figure("Where the peak goes", width=9, height=2.9) as sheet:
        axes = sheet.axes()
        for row, (name, plan) in enumerate(runs.items()):
            time = plan_time(plan)
            step = time.arithmetic / plan.utilisation
            parts = {label: getattr(time, part) for part, label in TIMES.items()}
            left = 0.0
            for (label, seconds), colour in zip(
                [*parts.items(), ("not explained", unexplained_seconds(plan))],
                [*TIME_COLOURS, "none"],
                strict=True,
            ):
                share = 100 * seconds / step
                axes.barh(row, share, left=left, height=0.55, color=colour, edgecolor=INK, lw=0.5)
                if share > 2:
                    axes.text(
                        left + share / 2,
                        row,
                        f"{share:.0f}%",
                        ha="center",
                        va="center",
                        fontsize=10,
                        color=INK if colour == "none" else ON_COLOUR,
                    )
                if row == 0 or (label == TIMES["context"] and row == 1):
                    axes.text(
                        left + share / 2,
                        row - 0.35 if row == 0 else row + 0.42,
                        label if seconds else "",
                        ha="left" if row == 0 else "center",
                        va="bottom" if row == 0 else "top",
                        rotation=20 if row == 0 else 0,
                        fontsize=9,
                        color=INK if colour == "none" else colour,
                    )
                left += share
            axes.text(-1, row, name, ha="right", va="center")
        axes.set(xlim=(-17, 112), ylim=(1.7, -1.5))
        axes.set_axis_off()
    return sheet.svg


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


def _choice() -> bytes:
    """Time, share of the peak and memory, by GPUs, of each family's fastest plan that fits."""
    with figure("Which split when", width=10, height=8.6) as sheet:
        for column, model in enumerate(MODELS):
            time, share, memory = (sheet.axes(3, 3, 3 * row + column + 1) for row in range(3))
            for family, colour in FAMILY_COLOURS.items():
                _family(time, share, memory, model, family, colour)
            time.set_title(model.name)
            time.set(yscale="log", ylim=(0.1, 2000))
            share.set(ylim=(0, 90))
            memory.set(ylim=(0, 92), xlabel="GPUs")
            limit = llama_3_cluster.accelerator.memory / 1e9
            memory.axhline(limit, color=INK, lw=0.8, ls="--")
            for axes in (time, share, memory):
                axes.set(xscale="log", xlim=(6, 22000))
                axes.set_xticks([8, 128, 2048, 16384], ["8", "128", "2,048", "16,384"])
                axes.minorticks_off()
                axes.grid(axis="y")
            if column == 0:
                time.set_ylabel("seconds per step")
                share.set_ylabel("arithmetic's share (%)")
                memory.set_ylabel("GB held by a GPU")
                memory.text(7, limit - 7, "memory of an H100", fontsize=9)
        sheet.figure.legend(
            handles=sheet.figure.axes[0].get_lines(),
            loc="outside lower center",
            ncols=len(FAMILIES),
            frameon=False,
            fontsize=11,
            labelcolor="linecolor",
        )
    return sheet.svg


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


def collectives(records: Mapping[str, Record]) -> bytes:
    """Bytes that a rank sends in a second, by the size of the buffer, on each device."""
    with figure("All-reduce and all-gather by size", height=3.8) as sheet:
        axes = sheet.axes()
        for index, record in enumerate(records.values()):
            for name, line in (("all_reduce", "-"), ("all_gather", "--")):
                found = sorted(record.results[name].values(), key=lambda each: each["buffer_bytes"])
                sizes = [each["buffer_bytes"] for each in found]
                rates = [each["bytes_sent_per_second"] / 1e9 for each in found]
                colour = COLOURS[(2 * index + (name == "all_gather")) % len(COLOURS)]
                axes.plot(sizes, rates, line, marker="o", ms=4, color=colour)
                label_line(
                    axes,
                    sizes[-1],
                    rates[-1],
                    f"{name.replace('_', '-')}, {record.results['ranks']} ranks\n"
                    f"{record.device['slug']}",
                    colour=colour,
                    fontsize=9,
                )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="bytes of the whole buffer",
            ylabel="GB/s sent by a rank",
        )
        axes.margins(x=0.25)
        axes.grid()
    return sheet.svg
