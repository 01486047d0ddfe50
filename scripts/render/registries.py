"""The reference tables of number formats and hardware: every figure whole, with its source."""

from collections.abc import Mapping

from scripts.records.record import Record
from scripts.render.markdown import Table
from snippets.formats import FLOAT_FORMATS, FORMATS, INTEGER_FORMATS
from snippets.hardware import ACCELERATORS
from snippets.sources import Source

FIGURES = {
    "memory": ("memory, GiB", "GiB"),
    "memory_bandwidth": ("bandwidth, GB/s", "GB/s"),
    "dense_fp32": ("FP32, TFLOP/s", "TFLOP/s"),
    "dense_tf32": ("TF32, TFLOP/s", "TFLOP/s"),
    "dense_fp16": ("FP16, TFLOP/s", "TFLOP/s"),
    "dense_bf16": ("BF16, TFLOP/s", "TFLOP/s"),
    "dense_fp8": ("FP8, TFLOP/s", "TFLOP/s"),
    "dense_fp4": ("FP4, TFLOP/s", "TFLOP/s"),
    "dense_int8": ("INT8, Top/s", "Top/s"),
    "link_bandwidth": ("links, one way, GB/s", "GB/s"),
    "power": ("power, W", "W"),
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The tables by path under docs/."""
    return {
        "tables/formats.md": _formats(records).encode(),
        "tables/hardware.md": _hardware(records).encode(),
    }


def _formats(records: Mapping[str, Record]) -> str:
    floats = Table(
        "formats-floating",
        *("format", "bits", "bytes", "sign bits", "exponent bits", "mantissa bits"),
        *("exponent bias", "largest finite", "smallest normal", "smallest subnormal", "infinity"),
        records=records,
    )
    fields = [
        *("bits", "bytes", "sign_bits", "exponent_bits", "mantissa_bits", "exponent_bias"),
        *("largest_finite", "smallest_normal", "smallest_subnormal"),
    ]
    for name, form in FLOAT_FORMATS.items():
        cells = [floats.number("cite", f"{name}.{field}") for field in fields]
        floats.row(form.name, *cells, "yes" if form.has_infinity else "no")
    integers = Table(
        "formats-integer", "format", "bits", "bytes", "smallest", "largest", records=records
    )
    for name, whole in INTEGER_FORMATS.items():
        cells = [
            integers.number("cite", f"{name}.{field}")
            for field in ("bits", "bytes", "smallest", "largest")
        ]
        integers.row(whole.name, *cells)
    sources = [_sources(form.name, form.sources) for form in FORMATS.values()]
    return "\n".join([floats.markdown(), integers.markdown(), *sources])


def _hardware(records: Mapping[str, Record]) -> str:
    heads = [head for head, _ in FIGURES.values()]
    table = Table("hardware", "device", *heads, records=records)
    for key, device in ACCELERATORS.items():
        name = key.replace("-", "_")
        cells = [
            ""
            if getattr(device, figure) is None
            else table.number("cite", f"{name}.{figure}", unit=unit)
            for figure, (_, unit) in FIGURES.items()
        ]
        table.row(device.name, *cells)
    sources = [_sources(device.name, device.sources) for device in ACCELERATORS.values()]
    return "\n".join([table.markdown(), *sources])


def seen(read: str | None) -> str:
    """Whether anybody has looked a figure up in the document that should state it, and when."""
    return f"read {read}" if read else "entered from memory, not checked in the document"


def _sources(name: str, sources: Mapping[str, Source]) -> str:
    """A paragraph that says where each figure stands and whether it was read there.

    What a document says is quoted in code spans: it proves the numbers and is not one of them.
    """
    documents: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for field, source in sources.items():
        places = documents.setdefault((source.title, source.url, source.read), {})
        head, _ = FIGURES.get(field, (field.replace("_", " "), ""))
        places.setdefault(source.section, []).append(head.partition(",")[0])
    parts = []
    for (title, url, read), places in documents.items():
        said = "; ".join(f"{', '.join(fields)}: `{place}`" for place, fields in places.items())
        parts.append(f"[`{title}`](<{url}>), {seen(f'`{read}`' if read else None)}: {said}.")
    return f"**{name}.** {' '.join(parts)}\n"
