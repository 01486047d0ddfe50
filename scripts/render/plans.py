"""Chapter 6: models, formats and frameworks; predicted beside measured; twenty ways to be wrong."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.records import Record, fields
from scripts.render import published_speeds
from scripts.render.markdown import Table
from scripts.render.mistakes import MISTAKES
from scripts.render.style import COLOURS, INK, figure
from snippets import models, runtimes
from snippets.models import MODELS
from snippets.weight_formats import WEIGHT_FORMATS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GiB = 2**30
SHAPE = {
    "layers": "layers",
    "hidden_size": "hidden size",
    "heads": "heads",
    "kv_heads": "key-value heads",
    "head_dim": "head dimension",
    "intermediate_size": "MLP width",
    "vocabulary": "vocabulary",
    "context": "context",
}
RUNTIME_FIGURES = {
    "logit_bytes": "bytes a logit",
    "copied_states": "copied states",
    "gathered_states": "gathered states",
    "waiting_states": "waiting states, at most",
    "bucket_bytes": "bucket bytes a parameter",
    "embedding_bytes": "buffer bytes an embedding parameter",
    "overhead": "allocator's share",
    "workspace": "workspace, MiB",
    "driver": "driver, MiB",
}
PARTS = {
    "all": "all of these",
    "consistent": "all, without the inconsistent pairs",
    "physics_alone": "all, without rules about this collection",
    "kind_known": "all, were their kind published",
    "no_tensor_split": "no tensor split",
    "no_tensor_split_in_gb": "no tensor split, read in GB",
}
MATRIX_SECONDS = (
    "transfer_seconds(product_bytes(rows=2**14, columns=2**14, vectors=1,"
    " bytes_per_element=FP16.bytes), rtx_3060.memory_bandwidth)"
)
OWN = (  # what, its prediction, experiment (of one device or any) and place, unit, decimals
    (
        "copy of a buffer",
        "rtx_3060.memory_bandwidth",
        "rtx-3060/bandwidth: copy.bytes_per_second",
        "GB/s",
        0,
    ),
    (
        "large FP16 matrix times a vector",
        MATRIX_SECONDS,
        "rtx-3060/bandwidth: fp16.matrix_vector.seconds",
        "ms",
        2,
    ),
    (
        "training with Adam in FP32, bytes a parameter",
        "training_bytes(1)",
        "training-memory: fp32.bytes_per_parameter",
        "",
        2,
    ),
    (
        "the same in mixed precision",
        "training_bytes(1)",
        "training-memory: mixed.bytes_per_parameter",
        "",
        2,
    ),
    (
        "training with Adam in FP32, bytes a parameter",
        "training_bytes(1)",
        "training-memory: recipes.fp32_adamw_foreach.bytes_per_parameter",
        "",
        2,
    ),
    (
        "activations of a layer, in units of the formula",
        "1",
        "activations: measured_over_formula",
        "",
        3,
    ),
    (
        "activations of the formula's own layer, in units of the formula",
        "1",
        "activations: gpt.materialised.with_dropout.bf16.none.over_formula",
        "",
        3,
    ),
    (
        "decoding a small model in FP32, beside the ceiling of the rate of reading",
        "record('{key}: models.100M.batch.1.ceiling_tokens_per_second')",
        "decoding: models.100M.batch.1.tokens_per_second",
        "tokens/s",
        1,
    ),
    (
        "the same for one twelve times as large",
        "record('{key}: models.1B.batch.1.ceiling_tokens_per_second')",
        "decoding: models.1B.batch.1.tokens_per_second",
        "tokens/s",
        1,
    ),
)


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """Tables and figures by path under docs/; those of predictions once their record is there."""
    rendered = {
        "tables/models.md": _models(records),
        "tables/weight-formats.md": _weight_formats(records),
        "tables/runtimes.md": _runtimes(records),
        "tables/mistakes.md": _mistakes(records),
        "tables/own-measurements.md": _own(records),
    }
    pages = {path: text.encode() for path, text in rendered.items()}
    pages |= published_speeds.render(records)
    for key, record in records.items():
        if record.experiment == "predictions":
            pages |= _predictions(key, record, records)
            break
    return pages


def _models(records: Mapping[str, Record]) -> str:
    """Shape and totals; the cache at the longest context tells windows and latent vectors apart."""
    table = Table(
        "models",
        "model",
        *SHAPE.values(),
        "parameters",
        "active",
        "checkpoint, bytes",
        "cache at full context, bytes",
        records=records,
    )
    names = {id(value): name for name, value in vars(models).items() if value in MODELS.values()}
    for model in MODELS.values():
        name = names[id(model)]
        table.row(
            model.name,
            *(table.number("cite", f"{name}.{field}") for field in SHAPE),
            table.number("calc", f"total_parameters({name})"),
            table.number("calc", f"active_parameters({name})"),
            table.number("calc", f"checkpoint_bytes({name})"),
            table.number("calc", f"cache_bytes({name}, tokens={name}.context)"),
        )
    return table.markdown()


def _weight_formats(records: Mapping[str, Record]) -> str:
    columns = ("format", "bits a weight", "in experts", "bits elsewhere")
    table = Table("weight-formats", *columns, records=records)
    for slug, weights in WEIGHT_FORMATS.items():
        entry = f'WEIGHT_FORMATS["{slug}"]'
        table.row(
            weights.name,
            table.number("calc", f"{entry}.matrix_bits".replace('"', "'")),
            table.number("calc", f"expert_bits({entry})".replace('"', "'")),
            table.number("calc", f"{entry}.other_bits".replace('"', "'")),
        )
    return table.markdown()


def _runtimes(records: Mapping[str, Record]) -> str:
    table = Table("runtimes", "framework", *RUNTIME_FIGURES.values(), records=records)
    for name in (
        "PYTORCH",
        "NANOTRON_RUNS_AHEAD",
        "NANOTRON_KEEPS_GATHERED",
        "NANOTRON_GATHERS_AGAIN",
    ):
        cells = [
            table.number(
                "cite",
                f"{name}.{field}",
                unit="MiB" if field in ("workspace", "driver") else "",
            )
            for field in RUNTIME_FIGURES
        ]
        table.row(getattr(runtimes, name).name, *cells)
    return table.markdown()


def _mistakes(records: Mapping[str, Record]) -> str:
    """The tempting answer, the right one, and the one in units of the other."""
    table = Table(
        "mistakes",
        "what is asked",
        "tempting",
        "right",
        "tempting / right",
        "reported of",
        records=records,
    )
    for mistake in MISTAKES:
        tempting, right = (
            table.number("calc", each, suffix=mistake.unit, decimals=mistake.decimals)
            for each in (mistake.tempting, mistake.right)
        )
        ratio = table.number("calc", f"({mistake.tempting}) / ({mistake.right})", decimals=2)
        reports = [f"[`{'/'.join(url.split('/')[3:5])}`](<{url}>)" for url in mistake.reports]
        table.row(mistake.asked, tempting, right, ratio, ", ".join(reports))
    return table.markdown()


def _own(records: Mapping[str, Record]) -> str:
    table = Table(
        "own-measurements",
        "what",
        "device",
        "predicted",
        "measured",
        "error",
        records=records,
    )
    for what, prediction, found, unit, decimals in OWN:
        experiment, _, path = found.partition(": ")
        for key, record in records.items():
            if experiment not in (key, record.experiment) or path not in set(
                fields(record.results)
            ):
                continue
            predicted, measured = prediction.format(key=key), f"{key}: {path}"
            error = f"({predicted}) / record('{measured}') - 1"
            table.row(
                what,
                f"`{key.partition('/')[0]}`",
                table.number("calc", predicted, suffix=unit, decimals=decimals),
                table.number("record", measured, suffix=unit, decimals=decimals),
                table.number("calc", error, suffix="%", decimals=_decimals(table, error)),
            )
    return table.markdown()


def _decimals(table: Table, error: str) -> int:
    """One, or as many as a smaller error needs to show that it is not none."""
    percent = abs(table.value("calc", error)) * 100
    return 1 if percent == 0 or percent >= 0.05 else math.ceil(-math.log10(percent))


def _predictions(key: str, record: Record, records: Mapping[str, Record]) -> dict[str, bytes]:
    return {
        "tables/predictions.md": _errors(key, record, records).encode(),
        "tables/predictions-others.md": _others(key, record, records).encode(),
        "tables/predictions-worst.md": _worst(key, record, records).encode(),
        "tables/predictions-inconsistent.md": _inconsistent(key, record, records).encode(),
        "figures/predictions.svg": _scatter(record),
    }


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


def _scatter(record: Record) -> bytes:
    """Each run's predicted over its reported memory; the line is where both are equal."""
    results = record.results
    with figure("Predicted and reported memory of published training runs", height=5) as sheet:
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
        axes.plot(ends, ends, color=INK, linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xticks([2, 4, 8, 16, 32, 64], labels=["2", "4", "8", "16", "32", "64"])
        axes.set_yticks([2, 4, 8, 16, 32, 64], labels=["2", "4", "8", "16", "32", "64"])
        axes.set_xlabel("reported, GiB on a GPU")
        axes.set_ylabel("predicted, GiB")
        axes.legend(frameon=False, labelcolor=INK)
    return sheet.svg
