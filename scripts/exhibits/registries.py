"""The reference tables of formats, hardware, models and frameworks: every figure whole, with its source."""

from collections.abc import Iterable, Mapping

from scripts.tables.table import Column, Table, Values
from snippets import models, runtimes
from snippets.formats import FLOAT_FORMATS, FORMATS, INTEGER_FORMATS
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS
from snippets.sources import Source
from snippets.weight_formats import WEIGHT_FORMATS

HARDWARE = {  # heads end with the unit
    "memory": "memory, GiB",
    "usable_memory": "usable, GiB",
    "memory_bandwidth": "bandwidth, GB/s",
    "dense_fp32": "FP32, TFLOP/s",
    "dense_tf32": "TF32, TFLOP/s",
    "dense_fp16": "FP16, TFLOP/s",
    "dense_bf16": "BF16, TFLOP/s",
    "dense_fp8": "FP8, TFLOP/s",
    "dense_fp4": "FP4, TFLOP/s",
    "dense_int8": "INT8, Top/s",
    "link_bandwidth": "links, one way, GB/s",
    "power": "power, W",
}
FLOATING = (
    *("bits", "bytes", "sign_bits", "exponent_bits", "mantissa_bits", "exponent_bias"),
    *("largest_finite", "smallest_normal", "smallest_subnormal"),
)
INTEGER = ("bits", "bytes", "smallest", "largest")
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
RUNTIME = {
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
FRAMEWORKS = (
    *("PYTORCH", "NANOTRON_RUNS_AHEAD", "NANOTRON_KEEPS_GATHERED"),
    "NANOTRON_GATHERS_AGAIN",
)


def _cited(fields: Iterable[str]) -> list[Column]:
    return [Column(field.replace("_", " "), cite=f"{{name}}.{field}") for field in fields]


def formats(values: Values) -> list[Table]:
    """Floating-point formats, then integers; where each figure stands."""
    floats = Table("format", *_cited(FLOATING), "infinity", values=values)
    for name, form in FLOAT_FORMATS.items():
        floats.row(form.name, "yes" if form.has_infinity else "no", name=name)
    integers = Table("format", *_cited(INTEGER), values=values)
    for name, whole in INTEGER_FORMATS.items():
        integers.row(whole.name, name=name)
    integers.notes = [_sources(form.name, form.sources) for form in FORMATS.values()]
    return [floats, integers]


def hardware(values: Values) -> Table:
    """The figures of each device; where each stands, and whether it was read there."""
    table = Table("device", *HARDWARE.values(), values=values)
    for key, device in ACCELERATORS.items():
        name = key.replace("-", "_")
        table.row(
            device.name,
            *(
                ""
                if getattr(device, figure) is None
                else table.number(
                    cite=f"{name}.{figure}",
                    unit=head.rpartition(", ")[2],
                    # Drivers say bytes: GiB of them have up to a dozen digits.
                    decimals=2 if figure == "usable_memory" else None,
                )
                for figure, head in HARDWARE.items()
            ),
        )
    table.notes = [_sources(device.name, device.sources) for device in ACCELERATORS.values()]
    return table


def model_shapes(values: Values) -> Table:
    """Shape and totals; the cache at the longest context tells windows and latent vectors apart."""

    def column(head: str, unit: str, calc: str) -> Column:
        return Column(f"{head}, {unit}", calc=calc, unit=unit, decimals=_thousandths_of_few)

    table = Table(
        "model",
        *(Column(head, cite=f"{{name}}.{field}") for field, head in SHAPE.items()),
        column("parameters", "billion", "total_parameters({name})"),
        column("active", "billion", "active_parameters({name})"),
        column("checkpoint", "GB", "checkpoint_bytes({name})"),
        column("cache at full context", "GB", "cache_bytes({name}, tokens={name}.context)"),
        values=values,
    )
    names = {id(value): name for name, value in vars(models).items() if value in MODELS.values()}
    for model in MODELS.values():
        table.row(model.name, name=names[id(model)])
    return table


def _thousandths_of_few(value: float) -> int:
    """Decimals of a count in billions: a small model's has three digits too."""
    return 2 if value >= 10 else 3


def weight_formats(values: Values) -> Table:
    """Bits of a weight in a layer's matrices, in experts and elsewhere."""
    table = Table(
        "format",
        Column("bits a weight", calc="{entry}.matrix_bits"),
        Column("in experts", calc="expert_bits({entry})"),
        Column("bits elsewhere", calc="{entry}.other_bits"),
        values=values,
    )
    for slug, weights in WEIGHT_FORMATS.items():
        if weights.mixture == "published":  # each model's own
            continue
        table.row(weights.name, entry=f"WEIGHT_FORMATS['{slug}']")
    return table


def frameworks(values: Values) -> Table:
    """What each framework holds beside weights and states."""
    units = {"workspace": "MiB", "driver": "MiB"}
    figures = RUNTIME.items()
    table = Table(
        "framework",
        *(Column(h, cite=f"{{name}}.{field}", unit=units.get(field, "")) for field, h in figures),
        values=values,
    )
    for name in FRAMEWORKS:
        table.row(getattr(runtimes, name).name, name=name)
    return table


def _sources(name: str, sources: Mapping[str, Source]) -> str:
    """A paragraph that says where each figure stands and whether it was read there.

    What a document says is quoted in code spans: it proves the numbers and is not one of them. What
    others quote of it stands in the notes beside the figures.
    """
    documents: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for field, source in sources.items():
        head = HARDWARE.get(field, field.replace("_", " ")).partition(",")[0]
        for each in (source, *source.others):
            said = documents.setdefault((each.title, each.url, each.read), {})
            words = "" if each.quoted else f": `{each.section}`"
            said.setdefault(words, []).append(head + " (another)" * source.differs(each))
    parts = []
    for (title, url, read), places in documents.items():
        when = f"read `{read}`" if read else "not read"
        figures = "; ".join(f"{', '.join(heads)}{words}" for words, heads in places.items())
        parts.append(f"[`{title}`](<{url}>), {when}, {figures}.")
    return f"**{name}.** {' '.join(parts)}\n"


TABLES = {
    "formats": formats,
    "hardware": hardware,
    "models": model_shapes,
    "weight-formats": weight_formats,
    "runtimes": frameworks,
}
