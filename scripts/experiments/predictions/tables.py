"""Predicted beside reported memory of published training runs: errors, the worst, the odd."""

from collections.abc import Mapping

from scripts.predictions.training_memory import PARTS
from scripts.tables.table import Column, Table, Values

ERRORS = {
    "median error": "median_error",
    "nine in ten within": "ninetieth_percentile_error",
    "bias": "median_bias",
}


def _percent(head: str, record: str) -> Column:
    return Column(head, record=record, suffix="%", decimals=1)


def _memory(head: str, record: str) -> Column:
    return Column(head, record=record, suffix="GiB", decimals=1)


def errors(values: Values) -> Table:
    """Errors of each model's runs, and of parts of all."""
    table = Table(
        "runs of",
        Column("runs", record="{place}.runs"),
        *(_percent(head, f"{{place}}.{field}") for head, field in ERRORS.items()),
        values=values,
    )
    for key, record in table.of("predictions"):
        models = record.results["models"]
        sizes = {f"model_{index}": f"`{name}`" for index, name in enumerate(models)}
        for part, name in (sizes | PARTS).items():
            table.row(name, place=f"{key}: errors.{part}")
    return table


def others(values: Values) -> Table:
    """What other public calculators say of the runs that they can describe."""
    table = Table(
        *("calculator", Column("runs it can describe", record="{place}.theirs.runs")),
        *(_percent(head, f"{{place}}.theirs.{field}") for head, field in ERRORS.items()),
        _percent("this handbook's median", "{place}.ours.median_error"),
        _percent("this handbook's nine in ten", "{place}.ours.ninetieth_percentile_error"),
        "what it cannot be told",
        values=values,
    )
    for key, record in table.of("predictions"):
        for name, other in record.results["others"].items():
            words = (f"`{other['name']} {other['version']}`", other["leaves_out"])
            table.row(*words, place=f"{key}: others.{name}")
    return table


def worst(values: Values) -> Table:
    """The runs that are furthest off."""
    error = "record('{place}.predicted_bytes') / record('{place}.reported_bytes') - 1"
    table = Table(
        "run",
        _memory("reported", "{place}.reported_bytes"),
        _memory("predicted", "{place}.predicted_bytes"),
        Column("error", calc=error, suffix="%", decimals=0),
        _memory("were its kind known", "{place}.known_kind_bytes"),
        "why",
        values=values,
    )
    for key, record in table.of("predictions"):
        for name, run in record.results["worst"].items():
            table.row(f"`{settings(run)}`", run["why"], place=f"{key}: worst.{name}")
    return table


def inconsistent(values: Values) -> Table:
    """Runs that report less memory than smaller ones."""
    table = Table(
        *("smaller micro-batch", _memory("reported", "{place}.smaller.reported_bytes")),
        *("larger", _memory("reported for it", "{place}.larger.reported_bytes")),
        values=values,
    )
    for key, record in table.of("predictions"):
        for name, pair in record.results["inconsistent_pairs"].items():
            runs = (f"`{settings(pair[side])}`" for side in ("smaller", "larger"))
            table.row(*runs, place=f"{key}: inconsistent_pairs.{name}")
    return table


def settings(run: Mapping[str, object]) -> str:
    """A run's settings in a code span: they name it and are no figures of ours."""
    return (
        f"{run['model']} T{run['tp']} P{run['pp']} D{run['dp']} ZeRO-{run['zero']}"
        f" {run['grad_acc']}x{run['mbs']}"
    )


TABLES = {
    "predictions": errors,
    "predictions-others": others,
    "predictions-worst": worst,
    "predictions-inconsistent": inconsistent,
}
