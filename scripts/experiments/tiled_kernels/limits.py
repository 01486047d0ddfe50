"""What a record of the Triton kernels must hold: all of them, and their bytes by the formulas."""

from collections.abc import Iterator

from scripts.experiments.expected import Expected, Figures
from scripts.records.record import Record

KERNELS = ("matmul", "softmax", "attention", "int4_matvec")


def _follows(record: Record) -> Figures:
    """In the interpreter what was counted is what the formula says."""
    for name in KERNELS:
        found = record.results.get(name, {})
        if "counted_bytes" in found:
            yield f"{name}.counted_bytes", found["bytes"]


def _works(record: Record) -> Iterator[str]:
    return iter(KERNELS if "seconds" in record.results.get("matmul", {}) else ())


EXPECTED = Expected(sections=KERNELS, works=_works, follows=_follows)
