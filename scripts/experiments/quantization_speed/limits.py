"""What a record of the speed of quantized products must hold."""

from collections.abc import Iterator

from scripts.experiments.expected import Expected, Figures, at
from scripts.experiments.quantization_speed.measure import SIXTEEN_BITS
from scripts.records.record import Record


def _works(record: Record) -> Iterator[str]:
    for kind in record.parameters["kinds"]:
        if not (at(record.results, f"{kind}.left_out") or at(record.results, f"{kind}.not_run")):
            yield kind


def _follows(record: Record) -> Figures:
    times = {kind: at(record.results, f"{kind}.seconds.median") for kind in _works(record)}
    sixteen = [times[kind] for kind in SIXTEEN_BITS if kind in times]
    for kind, seconds in times.items():
        weights = record.parameters["matrix_width"] ** 2
        if sixteen:
            yield f"{kind}.speedup_over_16_bits", min(sixteen) / seconds
        yield f"{kind}.weight_bytes", record.results[kind]["bits_per_weight"] * weights / 8


EXPECTED = Expected(sections=(), works=_works, follows=_follows)
