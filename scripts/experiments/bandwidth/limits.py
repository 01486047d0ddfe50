"""What a record of bandwidth must hold and can never hold, and how its products are read."""

from collections.abc import Iterator
from typing import Any

from scripts.experiments.bandwidth.measure import BYTES_PER_ELEMENT
from scripts.experiments.expected import (
    Expected,
    Figures,
    Objections,
    above_memory,
    above_peak,
    at,
)
from scripts.records.record import Record
from snippets.bandwidth import copy_bytes, product_bytes, product_operations
from snippets.hardware import ACCELERATORS, Accelerator

SHORT_NAMES = {"fp32": "FP32", "fp16": "FP16", "bf16": "BF16"}

# What "This machine" shows of it.
SHOWN = (
    r"(copy|read|\w+\.matrix_vector)\.bytes_per_second"
    r"|\w+\.matrix_batch\.\d+\.operations_per_second"
)


def registered(record: Record) -> str | None:
    """The registry's name for a record's device; None when it holds no such device."""
    slug: str = record.device["slug"]
    return slug if slug in ACCELERATORS else None


def products(record: Record, dtype: str) -> list[dict[str, Any]]:
    """The matrix times one vector and times each batch, in order of their vectors."""
    found = record.results.get(dtype)
    if found is None:
        return []
    all_of_them = [found["matrix_vector"], *found["matrix_batch"].values()]
    return sorted(all_of_them, key=lambda product: int(product["vectors"]))


def _works(record: Record) -> Iterator[str]:
    yield from ("copy", "read")
    batches_of = record.parameters["batches"]
    others = [dtype for dtype, batches in batches_of.items() if batches]
    for dtype in dict.fromkeys([*record.device["dtypes"], *others]):
        yield f"{dtype}.matrix_vector"
    for dtype, batches in batches_of.items():
        yield from (f"{dtype}.matrix_batch.{batch}" for batch in batches if batch > 1)


def _follows(record: Record) -> Figures:
    size, width = record.parameters["copy_bytes"], record.parameters["matrix_width"]
    yield "copy.bytes", copy_bytes(size)
    yield "read.bytes", size
    for dtype, batches in record.parameters["batches"].items():
        rates = {}
        for batch in batches:
            place = f"{dtype}.matrix_vector" if batch == 1 else f"{dtype}.matrix_batch.{batch}"
            shape = {"rows": width, "columns": width, "vectors": batch}
            element = BYTES_PER_ELEMENT[dtype]
            yield f"{place}.bytes", product_bytes(**shape, bytes_per_element=element)
            yield f"{place}.operations", product_operations(**shape)
            rates[batch] = at(record.results, place)["operations_per_second"]
        if rates:
            yield f"{dtype}.batch_speedup", max(rates.values()) / rates[1]


def _above_the_datasheet(record: Record, card: Accelerator, count: int) -> Objections:
    """No transfer beats the memory of a datasheet, no product its peak by more than a clock may."""
    cache = record.device["cache_bytes"] or 0
    peaks = {
        "fp32": card.dense_tf32 or card.dense_fp32,
        "fp16": card.dense_fp16,
        "bf16": card.dense_bf16,
    }
    for place in _works(record):
        found = at(record.results, place)
        yield from above_memory(
            place, found["bytes_per_second"], found["bytes"], cache, card, count
        )
        if "operations" in found:
            peak = peaks[place.partition(".")[0]]
            yield from above_peak(place, found["operations_per_second"], peak, card, count)


EXPECTED = Expected(
    sections=("disturbances_before", "copy", "read", "matrix", "disturbances_after"),
    works=_works,
    follows=_follows,
    impossible=_above_the_datasheet,
)
