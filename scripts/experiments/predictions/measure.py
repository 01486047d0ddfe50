"""Predicted beside published memory of training runs: how far off the arithmetic is.

Takes no time and no device: the record holds what the code in the repository says of the runs in
`docs/data/nanotron-runs.csv`, and what other public calculators say, where they are installed.
"""

from typing import TYPE_CHECKING, Any

from scripts.predictions.other_calculators import comparisons
from scripts.predictions.published_runs import (
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
    errors_by_part,
    predict,
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
    keys = {name: f"model_{index}" for index, name in enumerate(MODELS)}
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
        "errors": {
            keys.get(part, part): vars(found) for part, found in errors_by_part(runs).items()
        },
        "others": {
            each.calculator.package: {
                "name": each.calculator.name,
                "version": each.version,
                "leaves_out": each.calculator.leaves_out,
                "theirs": vars(each.theirs),
                "ours": vars(each.ours),
            }
            for each in comparisons(runs)
        },
        "worst": {
            f"run_{index}": _figures(each)
            | {"known_kind_bytes": round(predict_knowing_kind(each)), "why": reason(each, pairs)}
            for index, each in enumerate(worst(runs))
        },
        "reported_bytes": [round(each.memory * GiB) for each in runs],
        "predicted_bytes": [round(predict(each)) for each in runs],
        "model_of_run": [list(MODELS).index(each.model) for each in runs],
    }


def _figures(run: Run) -> dict[str, Any]:
    splits = ("model", "tp", "pp", "dp", "zero", "mbs", "grad_acc")
    return {name: getattr(run, name) for name in splits} | {
        "reported_bytes": round(run.memory * GiB),
        "predicted_bytes": round(predict(run)),
    }
