"""The tensors that a layer keeps, beside the terms of the formula."""

from scripts.records.record import lookup
from scripts.tables.table import Column, Table, Values

KERNELS = {
    "materialised": "scores stored",
    "flash": "flash",
    "efficient": "memory-efficient",
    "sdpa": "this device's choice",
}
PRECISIONS = {"bf16": "BF16", "autocast": "autocast", "fp32": "FP32"}
RECOMPUTE = {"none": "nothing", "selective": "attention", "full": "the layer"}
PAPERS_LAYER = "gpt.materialised.with_dropout.bf16.none"


def terms(values: Values) -> Table:
    """The paper's layer: each term of the formula beside the bytes of the tensors that it is."""
    table = Table(
        *("device", "what is kept"),
        Column("formula, bytes", record="{formula}.formula_bytes"),
        Column("counted, bytes", record="{place}.bytes"),
        "counted over formula",
        values=values,
    )
    for key, record in table.each("activations"):
        if "gpt" not in record.results:
            continue
        block, *steps = PAPERS_LAYER.split(".")
        layer = record.results[block]
        for step in steps:
            layer = layer[step]
        if "not_run" in layer:
            continue
        for term in layer["terms"]:
            place = f"{key}: {PAPERS_LAYER}.terms.{term}"
            words = term.replace("_", " ").replace("mlp", "MLP")
            if lookup(record, f"{PAPERS_LAYER}.terms.{term}.formula_bytes"):
                ratio = f"record('{place}.bytes') / record('{place}.formula_bytes')"
                over = table.number(calc=ratio, decimals=4)
                table.row(words, over, place=place, formula=place)
            else:
                table.row(words, "", place=place)
        place = f"{key}: {PAPERS_LAYER}"
        over = table.number(record=f"{place}.over_formula", decimals=4)
        table.row("**together**", over, place=place, formula=place)
    return table


def layers(values: Values) -> Table:
    """Bytes per token and unit of width, by block, kernel, dropout and precision."""
    table = Table("device", "layer", "attention", "dropout", *PRECISIONS.values(), values=values)
    for key, record in table.each("activations"):
        for block, words in (("gpt", "GPT"), ("llama", "Llama")):
            for kernel, by_dropout in record.results.get(block, {}).items():
                for dropout, found in by_dropout.items():
                    place = f"{key}: {block}.{kernel}.{dropout}"
                    fields = [f"{place}.{each}.none.bytes_per_hidden" for each in PRECISIONS]
                    table.row(
                        words,
                        KERNELS[kernel],
                        "yes" if dropout == "with_dropout" else "no",
                        *(
                            table.number(record=field, decimals=2)
                            if "bytes_per_hidden" in found.get(precision, {}).get("none", {})
                            else ""
                            for precision, field in zip(PRECISIONS, fields, strict=True)
                        ),
                    )
    return table


def whole_model(values: Values) -> Table:
    """Pythia-160M: what each way of counting makes of the formula."""
    ways = {
        "by tensor, over the formula": "by_tensor",
        "with the last hidden state": "with_last_hidden_state",
        "by storage": "by_storage",
    }
    table = Table(
        *("device", "weights", "attention"),
        *(Column(w, record=f"{{place}}.{n}_over_formula", decimals=3) for w, n in ways.items()),
        values=values,
    )
    for key, record in table.each("activations"):
        for precision, words in (("bf16", "BF16"), ("autocast", "FP32, autocast")):
            for kernel, found in record.results.get("pythia", {}).get(precision, {}).items():
                if "not_run" not in found:
                    table.row(words, KERNELS[kernel], place=f"{key}: pythia.{precision}.{kernel}")
    return table


def recomputed(values: Values) -> Table:
    """A stack of layers: what recomputation leaves, and the most that is held at any moment."""
    ratio = "record('{place}.kept_bytes') / record('{place}.formula_bytes')"
    table = Table(
        *("device", "attention", "recomputed"),
        Column("formula, GB", record="{place}.formula_bytes", unit="GB", decimals=3),
        Column("kept, GB", record="{place}.kept_bytes", unit="GB", decimals=3),
        Column("kept over formula", calc=ratio, decimals=3),
        Column("peak, GB", record="{place}.peak_bytes", unit="GB", decimals=3),
        values=values,
    )
    for key, record in table.each("activations"):
        for name, found in record.results.get("stack", {}).items():
            if "not_run" in found:
                continue
            kernel, _, recompute = name.rpartition("-")
            table.row(KERNELS[kernel], RECOMPUTE[recompute], place=f"{key}: stack.{name}")
    return table


TABLES = {
    "activation-terms": terms,
    "activation-layers": layers,
    "activation-counts": whole_model,
    "activation-recomputation": recomputed,
}
