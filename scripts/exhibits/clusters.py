"""Clusters on paper: Llama 3.1 405B's two layouts, where the peak goes, which split is fastest when."""

from typing import Any

from scripts.figures.drawing import Axes, Figure, Look, figure
from scripts.figures.palette import BLUE, GREEN, INK, ON_COLOUR, ORANGE, PURPLE, SKY, VERMILLION
from scripts.tables.table import Table, Values
from snippets.cluster_choice import FAMILIES, fastest_plan, feasible_plans
from snippets.clusters import llama_3_405b_long_run, llama_3_405b_run, llama_3_cluster
from snippets.hardware import usable_memory
from snippets.models import Model, llama_3_1_8b, llama_3_1_70b, llama_3_1_405b
from snippets.stage_memory import fullest_stage
from snippets.step_time import published_step_seconds, step_time
from snippets.training_plan import TrainingPlan, plan_sequences

PLANS = {"llama_3_405b_run": "first", "llama_3_405b_long_run": "long sequences"}
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


def plans(values: Values) -> Table:
    """Memory, traffic and time of one GPU in each of the two layouts."""
    table = Table("plan", *PLANS.values(), values=values)

    def row(label: str, decimals: int, suffix: str = "", **origin: str) -> None:
        ((kind, expression),) = origin.items()
        look: dict[str, Any] = {"suffix": suffix, "decimals": decimals}
        table.row(label, *(table.number(**{**look, kind: expression.format(p)}) for p in PLANS))

    for axis in ("tensor", "context", "pipeline", "data"):
        row(f"{axis} split", 0, cite=f"{{}}.{axis}")
    row("tokens of a sequence", 0, cite="{}.tokens")
    held = ("weights", "gradients", "optimizer", "activations")
    for part in held:
        row(f"{part}, held", 1, "GB", calc=f"fullest_stage({{}}).{part}")
    rest = " - ".join(f"fullest_stage({{0}}).{part}" for part in held)
    row("what software adds, held", 1, "GB", calc=f"fullest_stage({{0}}).total - {rest}")
    row("all that is held", 1, "GB", calc="fullest_stage({}).total")
    fitting = "in_flight_that_fits({0}, {0}.cluster.accelerator.usable_memory)"
    row("micro-batches in flight that fit", 1, calc=fitting)
    for part in ("tensor", "context", "pipeline", "data"):
        link = "NVLink" if part == "tensor" else "the network"
        sent = f"{part} split, sent in a step over {link}"
        row(sent, 1, "GB", calc=f"step_traffic({{}}).{part}")
    bubble = "pipeline_bubble({0}.pipeline, {0}.chunks * {0}.micro_batches)"
    row("bubble of the schedule", 1, "%", calc=bubble)
    for part, label in TIMES.items():
        row(f"time: {label}", 2, "s", calc=f"step_time({{0}}, {{0}}.cluster).{part}")
    step = "published_step_seconds({0})"
    row("time: not explained", 2, "s", calc=f"{step} - step_time({{0}}, {{0}}.cluster).total")
    row("step at the published utilisation", 2, "s", calc=step)
    row("published utilisation", 0, "%", cite="{}.utilisation")
    return table


RUNS = ((llama_3_405b_run, BLUE), (llama_3_405b_long_run, ORANGE))


@figure("where-the-peak-goes", "Where the peak goes", width=7, height=4.6)
def peak(sheet: Figure) -> None:
    """Two bars for each part of a step: its share of the published time, as far as explained."""
    axes, names = sheet.axes(), [*TIMES.values(), "not explained"]
    for index, (plan, colour) in enumerate(RUNS):
        time, step = step_time(plan, plan.cluster), published_step_seconds(plan)
        seconds = [*(getattr(time, part) for part in TIMES), step - time.total]
        name = f"sequences of {plan.tokens:,} tokens"
        for row, part in enumerate(seconds):
            share, y = 100 * part / step, row + 0.4 * (index - 0.5)
            look: Look = {"color": colour, "label": name}
            if row == len(TIMES):  # what no part explains is empty
                look = {"facecolor": "none", "edgecolor": colour, "lw": 1.5, "label": name}
            axes.barh(y, share, height=0.36, **look)
            if row == 0:
                axes.text(0.6, y, name, va="center", fontsize=11, color=ON_COLOUR)
            axes.text(share + 0.6, y, f"{share:.0f}%", va="center", fontsize=11)
    axes.set_yticks(range(len(names)), names)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, 50), xlabel="share of the step (%)")


@figure("which-split", "Which split is the fastest when", width=8, height=8.8)
def choice(sheet: Figure) -> None:
    """Time, share of the peak and memory, by GPUs, of each family's fastest plan that fits."""
    limit = usable_memory(llama_3_cluster.accelerator) / 1e9
    for column, model in enumerate(MODELS):
        panels = time, share, memory = [sheet.axes(3, 3, 3 * n + column + 1) for n in range(3)]
        fastest = {gpus: _fastest(model, gpus) for gpus in CLUSTER_SIZES}
        for family, colour in FAMILY_COLOURS.items():
            plans = {n: plan for n, each in fastest.items() if (plan := each[family])}
            _draw_family(panels, plans, family, colour)
        time.set_title(model.name, fontsize=10 if sheet.narrow else 13)
        time.set(yscale="log", ylim=(0.08, 2000))
        time.set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1,000"])
        time.set_ylabel("seconds per step")
        share.set(ylim=(0, 90), ylabel="arithmetic's share (%)")
        memory.set(ylim=(0, 95), ylabel="GB held by a GPU")
        memory.axhline(limit, color=INK, lw=0.8, ls="--", label="memory of an H100")
        for axes in panels:
            axes.set(xscale="log", xlim=(6, 22000))
            ticks = [8, 16384] if sheet.narrow else [8, 256, 16384]
            axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
            axes.minorticks_off()
            axes.grid(axis="y")
            axes.tick_params(labelleft=column == 0)
            axes.yaxis.label.set_visible(column == 0)
            axes.set_xlabel("GPUs")
            axes.xaxis.label.set_visible(axes is memory)
            axes.set_label(model.name)
        if column == 0:
            memory.text(7, limit + 1, "memory of an H100", fontsize=10)
    sheet.legend(sheet.canvas.axes[0].get_lines(), 2)


def _fastest(model: Model, gpus: int) -> dict[str, TrainingPlan | None]:
    plans = feasible_plans(
        model=model,
        cluster=llama_3_cluster,
        gpus=gpus,
        tokens=llama_3_405b_run.tokens,
        sequences=plan_sequences(llama_3_405b_run),
    )
    return {family: fastest_plan(plans, llama_3_cluster, family) for family in FAMILIES}


def _draw_family(
    panels: list[Axes], plans: dict[int, TrainingPlan], family: str, colour: str
) -> None:
    times = [step_time(plan, llama_3_cluster) for plan in plans.values()]
    drawn = (
        [each.total for each in times],
        [100 * each.arithmetic / each.total for each in times],
        [fullest_stage(plan).total / 1e9 for plan in plans.values()],
    )
    for axes, values in zip(panels, drawn, strict=True):
        axes.plot([*plans], values, color=colour, marker="o", ms=3.5, lw=1.3, label=family)


TABLES = {"llama-405b-plans": plans}
