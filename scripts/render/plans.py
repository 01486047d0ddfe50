"""Chapter 6: models, formats and frameworks; twenty ways to be wrong."""

from collections.abc import Mapping

from scripts.records.record import Record
from scripts.render.markdown import Table
from scripts.render.mistakes import MISTAKES
from snippets import models, runtimes
from snippets.models import MODELS
from snippets.weight_formats import WEIGHT_FORMATS

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


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The tables by path under docs/."""
    rendered = {
        "tables/models.md": _models(records),
        "tables/weight-formats.md": _weight_formats(records),
        "tables/runtimes.md": _runtimes(records),
        "tables/mistakes.md": _mistakes(records),
    }
    return {path: text.encode() for path, text in rendered.items()}


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
