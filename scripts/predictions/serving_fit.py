"""Fits the constants of `snippets/serving_constants.py`: `scripts/predictions.py serving --fit`.

Deterministic: one constant after the other is made larger and smaller, by less and less.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from scripts.predictions.serving import Load, load, predict, predictable
from scripts.predictions.serving_runs import Run, held_back
from snippets.serving_constants import NAMES, SERVING, SERVING_VALIDATED, ServingConstants

# Errors are capped, since a few runs speculate or are described wrongly and nobody says which: a
# run that is off by half again says no more than that. First tokens, which scatter, count less.
CAPS = {"tpot": 0.4, "ttft": 1.0}
WEIGHTS = {"tpot": 1.0, "ttft": 0.3}
FIRST_STEP, LAST_STEP = 0.3, 0.005


def loss(loads: Sequence[tuple[Run, Load]], constants: ServingConstants) -> float:
    """Mean of the capped absolute logarithms of predicted over measured."""
    total = 0.0
    for run, given in loads:
        found = predict(given, constants)
        for name, predicted, measured in (
            ("tpot", found.tpot, run.tpot),
            ("ttft", found.ttft, run.ttft),
        ):
            total += WEIGHTS[name] * min(abs(math.log(predicted * 1e3 / measured)), CAPS[name])
    return total / len(loads)


def fit(runs: Sequence[Run], start: ServingConstants = SERVING) -> ServingConstants:
    """The constants of the least loss on those of the runs that have a prediction."""
    found, _ = predictable(runs)
    loads = [(run, load(run)) for run in found]
    best, least, step = start, loss(loads, start), FIRST_STEP
    while step >= LAST_STEP:
        improved = False
        for name in NAMES:
            for factor in (1 + step, 1 / (1 + step)):
                tried = replace(best, **{name: getattr(best, name) * factor})
                if (value := loss(loads, tried)) < least:
                    best, least, improved = tried, value, True
        if not improved:
            step /= 2
    return best


def intervals(runs: Sequence[Run], fitted: ServingConstants) -> dict[str, tuple[float, float]]:
    """The least and the greatest value of each constant when any one of the models is left out."""
    models = sorted({run.model for run in runs})
    without = [fit([run for run in runs if run.model != model], fitted) for model in models]
    return {
        name: (
            min(getattr(constants, name) for constants in [fitted, *without]),
            max(getattr(constants, name) for constants in [fitted, *without]),
        )
        for name in NAMES
    }


def show(runs: Sequence[Run]) -> None:
    """Print what fits give beside what stands: on all runs, and on those that are not held back."""
    fitted = fit(runs)
    before = fit([run for run in runs if not held_back(run)])
    bounds = intervals(runs, fitted)
    print(
        "constant, as it stands and fitted anew; without any one model; validated, and fitted anew"
    )
    for name in NAMES:
        values = [getattr(each, name) for each in (SERVING, fitted)]
        values += [*bounds[name], *(getattr(each, name) for each in (SERVING_VALIDATED, before))]
        print(f"{name:16}" + "".join(f"{value:11.4g}" for value in values))
