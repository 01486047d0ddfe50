"""The lab that quantizes a model chooses it here with its text, sweeps bits, and rounds single layers."""

import tempfile
from pathlib import Path
from typing import Any

from scripts.quantization.rounding import PER_MATRIX, Granularity, round_to_nearest_
from scripts.quantization.subjects import EMBEDDED_CHOICE, Choice, Subject, load
from scripts.quantization.sweep import Sweep
from scripts.records.journal import Journal


def load_subject(model: str, text: str, *, dtype: str, device: str) -> tuple[Choice, Subject]:
    """A model with its text as tokens, and what the two are called. `dtype`: fp32, fp16 or bf16.

    "embedded" brings its own text. Raises BadInput, saying what to fetch, for what is not there.
    """
    choice = EMBEDDED_CHOICE if model == "embedded" else Choice(model, text)
    return choice, load(choice, dtype=dtype, device=device)


def sweep_bits(
    subject: Subject, *, group: int, bits: tuple[int, ...], windows: int
) -> tuple[Sweep, dict[str, Any]]:
    """The sweep, its model whole again, and what a record of it holds.

    `loss` in nats per token and `bits_per_weight` with scales are by granularity, "per_group" and
    "per_matrix", and by bits, as strings; the loss of "16" is that without rounding. Raises BadInput
    for a group that does not divide the rows.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal(experiment="lab", device="", fingerprint="", root=Path(folder)) as run,
    ):
        sweep = Sweep(subject, windows=windows, run=run)
        return sweep, sweep.results(granularities=(_per_group(group), PER_MATRIX), bits=bits)


def layers_of(sweep: Sweep) -> list[str]:
    """The layers of the sweep's model, in order."""
    return list(dict.fromkeys(_layer(name) for name in sweep.matrices))


def round_layer(sweep: Sweep, layer: str, *, bits: int, group: int) -> None:
    """Round one layer's matrices in place; `sweep.restore()` puts the weights back."""
    for name, matrix in sweep.matrices.items():
        if _layer(name) == layer:
            original = sweep.originals[name]
            granularity = _per_group(group)
            round_to_nearest_(matrix.data, original, bits=bits, granularity=granularity, name=name)


def _per_group(group: int) -> Granularity:
    return Granularity("per_group", group)


def _layer(name: str) -> str:
    return name.split(".")[1]
