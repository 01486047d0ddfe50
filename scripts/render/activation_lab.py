"""Chapter 2's activations: the tensors that are kept, beside the terms of the formula."""

from collections.abc import Mapping
from typing import Any

from scripts.records.record import Record
from scripts.render.markdown import Table

KERNELS = {
    "materialised": "scores stored",
    "flash": "flash",
    "efficient": "memory-efficient",
    "sdpa": "this device's choice",
}
PRECISIONS = {"bf16": "BF16", "autocast": "autocast", "fp32": "FP32"}
RECOMPUTE = {"none": "nothing", "selective": "attention", "full": "the layer"}
PAPERS_LAYER = "gpt.materialised.with_dropout.bf16.none.terms"


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """Tables by path under docs/, from records that this repository counted."""
    tables = (table(records) for table in MEASURED)
    return {f"tables/{table.name}.md": table.markdown().encode() for table in tables}


def _kept(records: Mapping[str, Record]) -> dict[str, Record]:
    return {
        key: record
        for key, record in records.items()
        if record.experiment == "activations" and "gpt" in record.results
    }


def _terms(records: Mapping[str, Record]) -> Table:
    """The paper's layer: each term of the formula beside the bytes of the tensors that it is."""
    table = Table(
        "activation-terms",
        "device",
        "what is kept",
        "formula, bytes",
        "counted, bytes",
        "counted over formula",
        records=records,
    )
    for key, record in _kept(records).items():
        table.of(record)
        for term in _group(record, PAPERS_LAYER):
            place = f"{key}: {PAPERS_LAYER}.{term}"
            has_formula = table.value("record", f"{place}.formula_bytes") > 0
            table.row(
                term.replace("_", " ").replace("mlp", "MLP"),
                table.number("record", f"{place}.formula_bytes") if has_formula else "",
                table.number("record", f"{place}.bytes"),
                table.number(
                    "calc",
                    f"record('{place}.bytes') / record('{place}.formula_bytes')",
                    decimals=4,
                )
                if has_formula
                else "",
            )
        whole = PAPERS_LAYER.rpartition(".")[0]
        table.row(
            "**together**",
            table.number("record", f"{key}: {whole}.formula_bytes"),
            table.number("record", f"{key}: {whole}.bytes"),
            table.number("record", f"{key}: {whole}.over_formula", decimals=4),
        )
    return table


def _group(record: Record, place: str) -> Mapping[str, Any]:
    """The group of results under a dotted name."""
    group: Any = record.results
    for step in place.split("."):
        group = group[step]
    found: Mapping[str, Any] = group
    return found


def _layers(records: Mapping[str, Record]) -> Table:
    """Bytes per token and unit of width, by block, kernel, dropout and precision."""
    table = Table(
        "activation-layers",
        "device",
        "layer",
        "attention",
        "dropout",
        *PRECISIONS.values(),
        records=records,
    )
    for key, record in _kept(records).items():
        table.of(record)
        for block, words in (("gpt", "GPT"), ("llama", "Llama")):
            for kernel, by_dropout in record.results[block].items():
                for dropout, found in by_dropout.items():
                    table.row(
                        words,
                        KERNELS[kernel],
                        "yes" if dropout == "with_dropout" else "no",
                        *(
                            table.number(
                                "record",
                                f"{key}: {block}.{kernel}.{dropout}.{precision}"
                                ".none.bytes_per_hidden",
                                decimals=2,
                            )
                            if precision in found
                            else ""
                            for precision in PRECISIONS
                        ),
                    )
    return table


def _whole_model(records: Mapping[str, Record]) -> Table:
    """Pythia-160M: what each way of counting makes of the formula."""
    table = Table(
        "activation-counts",
        "device",
        "weights",
        "attention",
        "by tensor, over the formula",
        "with the last hidden state",
        "by storage",
        records=records,
    )
    for key, record in _kept(records).items():
        table.of(record)
        for precision in ("bf16", "autocast"):
            for kernel in record.results["pythia"][precision]:
                place = f"{key}: pythia.{precision}.{kernel}"
                table.row(
                    "BF16" if precision == "bf16" else "FP32, autocast",
                    KERNELS[kernel],
                    table.number("record", f"{place}.by_tensor_over_formula", decimals=3),
                    table.number(
                        "record", f"{place}.with_last_hidden_state_over_formula", decimals=3
                    ),
                    table.number("record", f"{place}.by_storage_over_formula", decimals=3),
                )
    return table


def _recomputed(records: Mapping[str, Record]) -> Table:
    """A stack of layers: what recomputation leaves, and the most that is held at any moment."""
    table = Table(
        "activation-recomputation",
        "device",
        "attention",
        "recomputed",
        "formula, GB",
        "kept, GB",
        "kept over formula",
        "peak, GB",
        records=records,
    )
    for key, record in _kept(records).items():
        table.of(record)
        for name in record.results["stack"]:
            kernel, _, recompute = name.rpartition("-")
            place = f"{key}: stack.{name}"
            table.row(
                KERNELS[kernel],
                RECOMPUTE[recompute],
                table.number("record", f"{place}.formula_bytes", unit="GB", decimals=3),
                table.number("record", f"{place}.kept_bytes", unit="GB", decimals=3),
                table.number(
                    "calc",
                    f"record('{place}.kept_bytes') / record('{place}.formula_bytes')",
                    decimals=3,
                ),
                table.number("record", f"{place}.peak_bytes", unit="GB", decimals=3),
            )
    return table


MEASURED = (_terms, _layers, _whole_model, _recomputed)
