"""Predicted beside published memory of training runs, and how far apart they are.

`scripts/predictions.py training` and the experiment "predictions" call it with runs; it gives bytes
on the GPU, errors over many runs, and the reason for the worst. The prediction is
`snippets/training_memory.py`'s for the first pipeline stage: nanotron's log is written by rank 0,
which is there. Nothing of a run's outcome (its speed, its memory) goes into it.
"""

import functools
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scripts.predictions.published_runs import (
    GB,
    MODELS,
    TOKENS,
    GiB,
    Run,
    contradicts_itself,
    inconsistent_pairs,
    repeats,
)
from snippets.hardware import h100_sxm
from snippets.model_parameters import layer_parameters
from snippets.runtimes import (
    NANOTRON_GATHERS_AGAIN,
    NANOTRON_KEEPS_GATHERED,
    NANOTRON_RUNS_AHEAD,
    Runtime,
)
from snippets.stage_memory import stage_memory
from snippets.training_memory import FP32_GRADIENTS
from snippets.training_plan import TrainingPlan, check_training_plan

QUEUE_FILLS = 1.4e12  # operations, chosen with all runs in view; half or twice is little worse


def plan_of(run: Run, runtime: Runtime) -> TrainingPlan:
    """The plan of a published run, in which gradients are kept in FP32."""
    return TrainingPlan(
        model=MODELS[run.model],
        tokens=TOKENS,
        micro_batch=run.mbs,
        micro_batches=run.grad_acc,
        tensor=run.tp,
        pipeline=run.pp,
        data=run.dp,
        zero_stage=run.zero,
        state=FP32_GRADIENTS,
        runtime=runtime,
    )


def refusal(run: Run) -> str:
    """Why nothing can be said of a run; empty where something can."""
    if contradicts_itself(run):
        return "its batch is not what its splits multiply to"
    try:
        check_training_plan(plan_of(run, NANOTRON_GATHERS_AGAIN))
    except ValueError as error:
        return str(error)
    return ""


def bytes_with(run: Run, runtime: Runtime) -> float:
    """Bytes that a runtime would hold on a GPU of the run's first stage."""
    return stage_memory(plan_of(run, runtime), 0).total


def runs_ahead(run: Run) -> bool:
    """Whether the host queues work faster than the GPU does it, inside a server of eight.

    Then as many gathered inputs wait for their communication as the queue holds. By the arithmetic
    of one layer's forward pass on each GPU: some three milliseconds and more of an H100's time.
    """
    model = MODELS[run.model]
    tokens = run.mbs * TOKENS
    return run.tp <= 8 and 2 * tokens * layer_parameters(model, 0) / run.tp > QUEUE_FILLS


def unless_gathered_again(run: Run) -> Runtime:
    """The runtime of a run that keeps its gathered inputs."""
    return NANOTRON_RUNS_AHEAD if runs_ahead(run) else NANOTRON_KEEPS_GATHERED


def gathers_again(run: Run) -> bool:
    """Whether a run belongs to those that keep no gathered input for the backward pass.

    The source publishes no such setting, but the runs with a tensor split are visibly of two kinds.
    Those that would not fit an H100 otherwise are of this kind, or they had not run. Of the others,
    by number of GPUs alone: those on 64 nodes, and those split over 32 GPUs unless there are no
    stages and a small micro-batch: a rule about this collection, not about training.
    """
    if bytes_with(run, unless_gathered_again(run)) > h100_sxm.memory:
        return True
    if run.tp == 32:
        return run.pp > 1 or run.mbs >= 32
    return run.nodes == 64


@functools.cache
def predict(run: Run) -> float:
    """Bytes that the first stage's GPU reserves, from the run's settings alone."""
    runtime = NANOTRON_GATHERS_AGAIN if gathers_again(run) else unless_gathered_again(run)
    return bytes_with(run, runtime)


@functools.cache
def predict_by_physics_alone(run: Run) -> float:
    """Without the rules about this collection: inputs are gathered again where nothing else fits."""
    kept = bytes_with(run, unless_gathered_again(run))
    return kept if kept <= h100_sxm.memory else bytes_with(run, NANOTRON_GATHERS_AGAIN)


@functools.cache
def predict_knowing_kind(run: Run) -> float:
    """The nearest of all kinds: what the prediction would be, were the setting published."""
    kinds = (NANOTRON_GATHERS_AGAIN, NANOTRON_KEEPS_GATHERED, NANOTRON_RUNS_AHEAD)
    each_kind = [bytes_with(run, kind) for kind in kinds]
    return min(each_kind, key=lambda each: abs(each - run.memory * GiB))


@dataclass(frozen=True)
class Errors:
    """Of `runs` predictions, the absolute relative error's median and 90th percentile, and the bias."""

    runs: int
    median_error: float
    ninetieth_percentile_error: float
    median_bias: float

    def __str__(self) -> str:
        return (
            f"{self.median_error:.1%}, nine in ten within {self.ninetieth_percentile_error:.1%},"
            f" bias {self.median_bias:+.1%}"
        )


def errors(
    runs: Iterable[Run], predicted: Callable[[Run], float] = predict, unit: int = GiB
) -> Errors:
    """Errors relative to what was reported, read in bytes of `unit`; of one run at least."""
    relative = [predicted(run) / (run.memory * unit) - 1 for run in runs]
    absolute = sorted(abs(each) for each in relative)
    at_least_two = absolute * 2 if len(absolute) == 1 else absolute
    return Errors(
        runs=len(absolute),
        median_error=statistics.median(absolute),
        ninetieth_percentile_error=statistics.quantiles(at_least_two, n=10, method="inclusive")[8],
        median_bias=statistics.median(relative),
    )


def reason(run: Run, pairs: Sequence[tuple[Run, Run]]) -> str:
    """Why a prediction is far off, as far as the source lets one say."""
    off = abs(predict_knowing_kind(run) / (run.memory * GiB) - 1)
    if any(run is large for _, large in pairs):
        return "reports less than a run like it with a smaller micro-batch"
    if any(run is small for small, _ in pairs):
        return "reports more than a run like it with a larger micro-batch"
    if off < 0.15:
        return "is of another kind than its settings tell"
    return "between the kinds: some gathered inputs kept"


def worst(runs: Sequence[Run], count: int = 10) -> list[Run]:
    """The runs whose predictions are furthest off, the furthest first."""
    return sorted(runs, key=lambda run: -abs(predict(run) / (run.memory * GiB) - 1))[:count]


PARTS = {
    "all": "all of these",
    "consistent": "all, without the inconsistent pairs",
    "physics_alone": "all, without rules about this collection",
    "kind_known": "all, were their kind published",
    "no_tensor_split": "no tensor split",
    "no_tensor_split_in_gb": "no tensor split, read in GB",
}


def errors_by_part(runs: Sequence[Run]) -> dict[str, Errors]:
    """Errors by model and by PARTS; a part of no runs is left out."""
    doubtful = {id(run) for pair in inconsistent_pairs(runs) for run in pair}
    alone = [run for run in runs if run.tp == 1]
    parts: dict[str, tuple[Sequence[Run], Callable[[Run], float], int]] = {
        name: ([run for run in runs if run.model == name], predict, GiB) for name in MODELS
    }
    parts |= {
        "all": (runs, predict, GiB),
        "consistent": ([run for run in runs if id(run) not in doubtful], predict, GiB),
        "physics_alone": (runs, predict_by_physics_alone, GiB),
        "kind_known": (runs, predict_knowing_kind, GiB),
        "no_tensor_split": (alone, predict, GiB),
        "no_tensor_split_in_gb": (alone, predict, GB),
    }
    return {name: errors(*part) for name, part in parts.items() if part[0]}


def show(every: Sequence[Run]) -> None:
    """Print the errors by model and over all, the runs at odds, and the worst ten."""
    runs = [run for run in every if not refusal(run)]
    pairs = inconsistent_pairs(runs)
    repeated = len(repeats(runs))
    print(f"{len(every)} runs; {repeated} settings reported more than once, with different memory")
    for why, count in Counter(filter(None, map(refusal, every))).items():
        print(f"{count} left out: {why}")
    print("\nmedian error")
    for name, found in errors_by_part(runs).items():
        print(f"  {PARTS.get(name, name):42}{found.runs:4} runs  {found}")
    print("\ninconsistent pairs: a larger micro-batch that reports less")
    for small, large in pairs:
        print(f"  {small}: {small.memory}; {large}: {large.memory}")
    print("\nthe worst ten: reported, predicted, GiB")
    for run in worst(runs):
        print(f"  {run}: {run.memory}, {predict(run) / GiB:.1f}, {reason(run, pairs)}")
