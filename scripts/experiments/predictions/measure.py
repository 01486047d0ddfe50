"""Predicted beside published memory of training runs: how far off the arithmetic is.

Takes no time and no device: the record holds what the code in the repository says of the runs in
`docs/data/nanotron-runs.csv`, and what other public calculators say, where they are installed.
"""

import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scripts.predictions.other_calculators import CALCULATORS
from scripts.predictions.published_runs import (
    GB,
    MODELS,
    RUNS,
    GiB,
    Run,
    contradicts_itself,
    inconsistent_pairs,
    read_runs,
    repeats,
)
from scripts.predictions.training_memory import (
    errors,
    predict,
    predict_by_physics_alone,
    predict_knowing_kind,
    reason,
    worst,
)

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records import journal


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The runs themselves, so that a change to them makes the record stale."""
    runs = read_runs()
    return {"runs": len(runs), "reported_gib_together": round(sum(run.memory for run in runs), 1)}


def measure(
    *, device: "Device", parameters: dict[str, Any], run: "journal.Journal"
) -> dict[str, Any]:
    """Errors by model and for parts of the runs; the worst ten; each run's two figures."""
    every = read_runs(RUNS)
    runs = [each for each in every if not contradicts_itself(each)]
    pairs = inconsistent_pairs(runs)
    doubtful = {id(each) for pair in pairs for each in pair}
    alone = [each for each in runs if each.tp == 1]
    parts = {f"model_{index}": _errors(_of(runs, name)) for index, name in enumerate(MODELS)}
    return {
        "models": list(MODELS),
        "runs": len(every),
        "contradictory_runs": len(every) - len(runs),
        "inconsistent_pairs": {
            f"pair_{index}": {"smaller": _figures(small), "larger": _figures(large)}
            for index, (small, large) in enumerate(pairs)
        },
        "repeated_settings": {
            f"pair_{index}": {"least": _figures(least), "most": _figures(most)}
            for index, (least, most) in enumerate(repeats(runs))
        },
        "errors": parts
        | {
            "all": _errors(runs),
            "consistent": _errors(each for each in runs if id(each) not in doubtful),
            "physics_alone": _errors(runs, predict_by_physics_alone),
            "kind_known": _errors(runs, predict_knowing_kind),
            "no_tensor_split": _errors(alone),
            "no_tensor_split_in_gb": _errors(alone, unit=GB),
        },
        "others": _others(runs),
        "worst": {
            f"run_{index}": _figures(each)
            | {"known_kind_bytes": round(predict_knowing_kind(each)), "why": reason(each, pairs)}
            for index, each in enumerate(worst(runs))
        },
        "reported_bytes": [round(each.memory * GiB) for each in runs],
        "predicted_bytes": [round(predict(each)) for each in runs],
        "model_of_run": [list(MODELS).index(each.model) for each in runs],
    }


def _others(runs: Sequence[Run]) -> dict[str, Any]:
    """Other calculators, where they are installed, and this one over the same runs."""
    found = {}
    for calculator in CALCULATORS:
        if importlib.util.find_spec(calculator.package) is None:
            continue
        some = [each for each in runs if calculator.describes(each)]
        found[calculator.package] = {
            "name": calculator.name,
            "version": importlib.metadata.version(calculator.package.replace("_", "-")),
            "leaves_out": calculator.leaves_out,
            "theirs": _errors(some, calculator.estimate),
            "ours": _errors(some),
        }
    return found


def _of(runs: Iterable[Run], name: str) -> list[Run]:
    return [each for each in runs if each.model == name]


def _errors(
    runs: Iterable[Run], predicted: Callable[[Run], float] = predict, unit: int = GiB
) -> dict[str, float]:
    found = errors(runs, predicted, unit)
    return {
        "runs": found.runs,
        "median_error": found.median,
        "ninetieth_percentile_error": found.ninetieth,
        "median_bias": found.bias,
    }


def _figures(run: Run) -> dict[str, Any]:
    splits = ("model", "tp", "pp", "dp", "zero", "mbs", "grad_acc")
    return {name: getattr(run, name) for name in splits} | {
        "reported_bytes": round(run.memory * GiB),
        "predicted_bytes": round(predict(run)),
    }
