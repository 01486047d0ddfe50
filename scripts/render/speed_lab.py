"""Chapter 3's measurements: the staircase, the knee and decoding, predicted beside measured."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from scripts.records.record import Record
from scripts.render.bandwidth import products
from scripts.render.markdown import Table
from scripts.render.style import BLUE, GREEN, INK, ORANGE, PURPLE, VERMILLION, figure, label_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = {"read": BLUE, "write": ORANGE, "copy": GREEN, "triad": PURPLE}
DTYPES = {"fp32": "FP32", "fp16": "FP16", "bf16": "BF16"}
BETWEEN = {
    "reading_seconds": "reading",
    "slower_products_seconds": "products slower than reading",
    "dispatch_seconds": "starting operations",
    "rest_seconds": "all else",
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """Tables and figures by path under docs/, for every device that has such records."""
    stairs = dict(_of(records, "staircase"))
    decoded = dict(_of(records, "decoding"))
    tables = (table(records) for table in MEASURED)
    made = {f"tables/{table.name}.md": table.markdown().encode() for table in tables}
    for record in stairs.values():
        made |= _staircase(record)
    for record in decoded.values():
        made |= _batches(record)
    return made


def _of(records: Mapping[str, Record], experiment: str) -> Iterator[tuple[str, Record]]:
    return ((key, record) for key, record in records.items() if record.experiment == experiment)


def _slug(record: Record) -> str:
    return f"`{record.device['slug']}`"


def _steps(records: Mapping[str, Record]) -> Table:
    """Cache and memory of each kind of work, and where the one gives way to the other."""
    table = Table(
        "staircase",
        "device",
        "work",
        "highest, GB/s",
        "from memory, GB/s",
        "ratio",
        "cache, MiB",
        "knee found at, MiB",
        records=records,
    )
    for key, record in _of(records, "staircase"):
        for kind in KINDS:
            found = record.results.get(kind, {})
            if "memory_bytes_per_second" not in found:
                continue
            place = f"{key}: {kind}"
            knee = (
                table.number("record", f"{place}.knee_bytes", unit="MiB", decimals=1)
                if found["knee_bytes"] is not None
                else "none found"
            )
            table.row(
                _slug(record),
                kind,
                table.number(
                    "record", f"{place}.highest_bytes_per_second", unit="GB/s", decimals=1
                ),
                table.number("record", f"{place}.memory_bytes_per_second", unit="GB/s", decimals=1),
                table.number("record", f"{place}.highest_over_memory", decimals=2),
                table.number("record", f"{key}: cache_bytes", unit="MiB"),
                knee,
            )
    return table


def _knees(records: Mapping[str, Record]) -> Table:
    """Vectors at which a product stops being limited by memory: by its roof, and as measured.

    Predicted from the rate of reading and the highest rate of operations. Measured where twice the
    vectors, from half of that highest rate on, would reach it.
    """
    table = Table(
        "knee",
        "device",
        "format",
        "balance, operations per byte",
        "predicted vectors",
        "measured between",
        records=records,
    )
    for key, record in _of(records, "bandwidth"):
        for dtype, name in DTYPES.items():
            found = products(record, dtype)
            if len(found) < 3 or "read" not in record.results:
                continue
            best = max(found, key=lambda product: float(product["operations_per_second"]))
            peak = f"record('{key}: {dtype}.matrix_batch.{best['vectors']}.operations_per_second')"
            balance = f"balance_point({peak}, record('{key}: read.bytes_per_second'))"
            half = float(best["operations_per_second"]) / 2
            below = [
                (one, other)
                for one, other in pairwise(found)
                if one["operations_per_second"] <= half < other["operations_per_second"]
            ]
            if not below:
                continue
            edges = [
                table.number("calc", f"2 * {_vectors(key, dtype, int(product['vectors']))}")
                for product in below[-1]
            ]
            table.row(
                _slug(record),
                name,
                table.number("calc", balance, decimals=1),
                table.number("calc", f"balanced_vectors({balance}, {name}.bytes)", decimals=0),
                f"{edges[0]} and {edges[1]}",
            )
    return table


def _vectors(key: str, dtype: str, vectors: int) -> str:
    place = "matrix_vector" if vectors == 1 else f"matrix_batch.{vectors}"
    return f"record('{key}: {dtype}.{place}.vectors')"


def _models(record: Record) -> Iterator[str]:
    return (name for name, found in record.results["models"].items() if "batch" in found)


def _decoding(records: Mapping[str, Record]) -> Table:
    """Tokens per second beside the ceiling of the bytes that must be read for them."""
    table = Table(
        "decoding",
        "device",
        "model, parameters",
        "products",
        "sequences",
        "read per step, GB",
        "ceiling, tokens/s",
        "measured, tokens/s",
        "measured over ceiling",
        records=records,
    )
    for key, record in _of(records, "decoding"):
        for name in _models(record):
            model = f"{key}: models.{name}"
            found = record.results["models"][name]
            ways = {"plain": "as PyTorch ships them"} if "seconds" in found["plain"] else {}
            ways |= {
                f"batch.{count}": "matrices packed" if found["packed"] else "as PyTorch ships them"
                for count, batch in found["batch"].items()
                if "seconds" in batch
            }
            for way, words in ways.items():
                place = f"{model}.{way}"
                table.row(
                    _slug(record),
                    table.number("record", f"{model}.parameters", suffix="billion", decimals=2),
                    words,
                    table.number("record", f"{place}.sequences"),
                    table.number("record", f"{place}.bytes", unit="GB", decimals=2),
                    table.number("record", f"{place}.ceiling_tokens_per_second", decimals=1),
                    table.number("record", f"{place}.tokens_per_second", decimals=1),
                    table.number("record", f"{place}.of_ceiling", decimals=2),
                )
    return table


def _between(records: Mapping[str, Record]) -> Table:
    """What a step of one sequence spends its time on."""
    table = Table(
        "decoding-between",
        "device",
        "model, parameters",
        "products",
        "step, ms",
        *(f"{words}, ms" for words in BETWEEN.values()),
        records=records,
    )
    for key, record in _of(records, "decoding"):
        for name in _models(record):
            model = f"{key}: models.{name}"
            found = record.results["models"][name]
            ways = {"plain": "as PyTorch ships them"}
            if found["packed"]:
                ways["batch.1"] = "matrices packed"
            for way, words in ways.items():
                place = f"{model}.{way}"
                if "not_run" in (found["plain"] if way == "plain" else found["batch"]["1"]):
                    continue
                table.row(
                    _slug(record),
                    table.number("record", f"{model}.parameters", suffix="billion", decimals=2),
                    words,
                    table.number("record", f"{place}.seconds", unit="ms", decimals=1),
                    *(
                        table.number("record", f"{place}.between.{part}", unit="ms", decimals=1)
                        for part in BETWEEN
                    ),
                )
    return table


MEASURED = (_steps, _knees, _decoding, _between)


def _staircase(record: Record) -> dict[str, bytes]:
    """Rates of each kind of work over the size of all its vectors."""
    with figure(
        f"staircase-{record.device['slug']}", "Bandwidth from cache to memory", height=4.6
    ) as sheet:
        axes = sheet.axes()
        for kind, colour in KINDS.items():
            sizes = {
                int(size): found
                for size, found in record.results.get(kind, {}).get("sizes", {}).items()
                if "seconds" in found
            }
            if sizes:
                _plot_rates(axes, sizes, kind, colour)
        cache = record.device["cache_bytes"]
        axes.axvline(cache, color=INK, lw=1, ls="--", label="last-level cache")
        axes.annotate(
            "last-level cache",
            (cache, 0),
            xycoords=("data", "axes fraction"),
            xytext=(-6, 6),
            textcoords="offset points",
            ha="right",
        )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="size of all vectors together",
            ylabel="GB/s",
            xlim=(None, 4 * max(int(axes.dataLim.x1), cache)),
        )
        sheet.columns["size of all vectors together"] = "size of all vectors together, bytes"
        axes.set_xscale("log", base=2)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_major_formatter(lambda value, _: _binary(value))
        axes.grid()
        label_ends(axes)
    return sheet.files


def _plot_rates(
    axes: "Axes", sizes: Mapping[int, Mapping[str, object]], kind: str, colour: str
) -> None:
    rates = {size: float(str(found["bytes_per_second"])) / 1e9 for size, found in sizes.items()}
    axes.plot(list(rates), list(rates.values()), "o-", color=colour, ms=4, label=kind)


def _binary(value: float) -> str:
    """A size as its reader says it: 64 KiB, 32 MiB."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= scale:
            return f"{value / scale:g} {unit}"
    return f"{value:g} B"


def _batches(record: Record) -> dict[str, bytes]:
    """Tokens per second of all sequences together, measured and at the ceiling, over sequences."""
    with figure(
        f"decoding-{record.device['slug']}", "Decoding against its ceiling", height=4.2
    ) as sheet:
        axes = sheet.axes()
        colours = (BLUE, VERMILLION, GREEN, PURPLE)
        for name, colour in zip(_models(record), colours, strict=False):
            batches = {
                int(count): found
                for count, found in record.results["models"][name]["batch"].items()
                if "seconds" in found
            }
            counts = list(batches)
            measured = [batches[count]["tokens_per_second"] for count in counts]
            ceiling = [batches[count]["ceiling_tokens_per_second"] for count in counts]
            axes.plot(counts, ceiling, "--", color=colour, lw=1.2, label=f"{name}, ceiling")
            axes.plot(counts, measured, "o-", color=colour, ms=5, label=f"{name}, measured")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set(xlabel="sequences at a time", ylabel="tokens per second, all together")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlim(None, 2.5 * axes.dataLim.x1)
        axes.grid()
        label_ends(axes)
    return sheet.files
