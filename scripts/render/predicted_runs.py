"""Predicted beside reported memory of published training runs: errors, the worst, the odd."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.records.record import Record
from scripts.render.markdown import Table
from scripts.render.style import COLOURS, INK, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GiB = 2**30
PARTS = {
    "all": "all of these",
    "consistent": "all, without the inconsistent pairs",
    "physics_alone": "all, without rules about this collection",
    "kind_known": "all, were their kind published",
    "no_tensor_split": "no tensor split",
    "no_tensor_split_in_gb": "no tensor split, read in GB",
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """Tables and a figure by path under docs/, once their record is there."""
    for key, record in records.items():
        if record.experiment == "predictions":
            return {
                "tables/predictions.md": _errors(key, record, records).encode(),
                "tables/predictions-others.md": _others(key, record, records).encode(),
                "tables/predictions-worst.md": _worst(key, record, records).encode(),
                "tables/predictions-inconsistent.md": _inconsistent(key, record, records).encode(),
                **_scatter(record),
            }
    return {}


def _errors(key: str, record: Record, records: Mapping[str, Record]) -> str:
    table = Table(
        "predictions",
        "runs of",
        "runs",
        "median error",
        "nine in ten within",
        "bias",
        records=records,
    )
    sizes = {f"model_{index}": name for index, name in enumerate(record.results["models"])}
    for part, name in (sizes | PARTS).items():
        place = f"{key}: errors.{part}"
        table.row(
            f"`{name}`" if part in sizes else name,
            table.number("record", f"{place}.runs"),
            table.number("record", f"{place}.median_error", suffix="%", decimals=1),
            table.number("record", f"{place}.ninetieth_percentile_error", suffix="%", decimals=1),
            table.number("record", f"{place}.median_bias", suffix="%", decimals=1),
        )
    return table.markdown()


def _others(key: str, record: Record, records: Mapping[str, Record]) -> str:
    table = Table(
        "predictions-others",
        "calculator",
        "runs it can describe",
        "median error",
        "nine in ten within",
        "bias",
        "this handbook's median",
        "this handbook's nine in ten",
        "what it cannot be told",
        records=records,
    )
    for name, other in record.results["others"].items():
        place = f"{key}: others.{name}"
        shares = (
            f"{place}.{whose}"
            for whose in (
                "theirs.median_error",
                "theirs.ninetieth_percentile_error",
                "theirs.median_bias",
                "ours.median_error",
                "ours.ninetieth_percentile_error",
            )
        )
        table.row(
            f"`{other['name']} {other['version']}`",
            table.number("record", f"{place}.theirs.runs"),
            *(table.number("record", share, suffix="%", decimals=1) for share in shares),
            other["leaves_out"],
        )
    return table.markdown()


def _worst(key: str, record: Record, records: Mapping[str, Record]) -> str:
    table = Table(
        "predictions-worst",
        "run",
        "reported",
        "predicted",
        "error",
        "were its kind known",
        "why",
        records=records,
    )
    for name, run in record.results["worst"].items():
        place = f"{key}: worst.{name}"
        table.row(
            f"`{settings(run)}`",
            table.number("record", f"{place}.reported_bytes", suffix="GiB", decimals=1),
            table.number("record", f"{place}.predicted_bytes", suffix="GiB", decimals=1),
            _error(table, f"{place}.predicted_bytes", f"{place}.reported_bytes"),
            table.number("record", f"{place}.known_kind_bytes", suffix="GiB", decimals=1),
            run["why"],
        )
    return table.markdown()


def _inconsistent(key: str, record: Record, records: Mapping[str, Record]) -> str:
    table = Table(
        "predictions-inconsistent",
        "smaller micro-batch",
        "reported",
        "larger",
        "reported for it",
        records=records,
    )
    for name, pair in record.results["inconsistent_pairs"].items():
        cells = []
        for side in ("smaller", "larger"):
            place = f"{key}: inconsistent_pairs.{name}.{side}.reported_bytes"
            reported = table.number("record", place, suffix="GiB", decimals=1)
            cells += [f"`{settings(pair[side])}`", reported]
        table.row(*cells)
    return table.markdown()


def _error(table: Table, predicted: str, reported: str) -> str:
    """A cell with the relative error of one recorded figure against another."""
    ratio = f"record('{predicted}') / record('{reported}')"
    return table.number("calc", f"{ratio} - 1", suffix="%", decimals=0)


def settings(run: Mapping[str, object]) -> str:
    """A run's settings in a code span: they name it and are no figures of ours."""
    return (
        f"{run['model']} T{run['tp']} P{run['pp']} D{run['dp']} ZeRO-{run['zero']}"
        f" {run['grad_acc']}x{run['mbs']}"
    )


def _scatter(record: Record) -> dict[str, bytes]:
    """Each run's predicted over its reported memory; the line is where both are equal."""
    results = record.results
    with figure(
        "predictions", "Predicted and reported memory of published training runs", height=5
    ) as sheet:
        axes: Axes = sheet.axes()
        for index, name in enumerate(results["models"]):
            runs = [at for at, model in enumerate(results["model_of_run"]) if model == index]
            axes.plot(
                [results["reported_bytes"][at] / GiB for at in runs],
                [results["predicted_bytes"][at] / GiB for at in runs],
                "o",
                color=COLOURS[index],
                markersize=3,
                alpha=0.6,
                label=name,
            )
        ends = [1.5, 110]
        axes.plot(ends, ends, color=INK, linewidth=1, label="as reported")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xticks([2, 4, 8, 16, 32, 64], labels=["2", "4", "8", "16", "32", "64"])
        axes.set_yticks([2, 4, 8, 16, 32, 64], labels=["2", "4", "8", "16", "32", "64"])
        axes.set_xlabel("reported, GiB on a GPU")
        axes.set_ylabel("predicted, GiB")
        axes.legend(frameon=False, labelcolor=INK)
    return sheet.files
