"""Each recipe predicted beside counted, and what lies between a sum of tensors and the system's count."""

from scripts.records.record import fields
from scripts.tables.table import Column, Table, Values

# Each recipe in words, and what the chapter's arithmetic predicts for it, where it does.
RECIPES = {
    "fp32_adamw_foreach": ("FP32, AdamW over all tensors at once", "FULL_PRECISION"),
    "fp32_adamw_fused": ("FP32, AdamW fused", "FULL_PRECISION"),
    "autocast_adamw_foreach": ("autocast, AdamW over all tensors at once", "FULL_PRECISION"),
    "autocast_adamw_fused": ("autocast, AdamW fused", "FULL_PRECISION"),
    "bf16_master": ("BF16 with an FP32 master copy", "MIXED_PRECISION"),
    "bf16_master_gradients": ("the same, FP32 gradients kept beside", "BOTH_GRADIENTS"),
    "fp32_sgd_momentum": ("FP32, SGD with momentum", ""),
    "fp32_adafactor": ("FP32, Adafactor", ""),
    "fp32_muon": ("FP32, Muon inside the layers, AdamW outside", ""),
    "fp32_adamw_8bit": ("FP32, AdamW with moments in INT8", ""),
}
REPORTED = {
    "fp32": ("FP32 throughout", "FULL_PRECISION"),
    "mixed": ("mixed precision", "MIXED_PRECISION"),
}
WORKSPACES = {"no_workspace": "none", "one_workspace": "one", "two_workspaces": "two"}
BUFFERS = {"without_library_buffers": "given back", "with_library_buffers": "kept"}
OVER = "record('{held}') / {predicted}"


def reported(values: Values) -> Table:
    """Bytes per parameter, and activations of a layer, as others reported them."""
    table = Table(
        *("device", "what"),
        *(Column("predicted", calc="{predicted}"), "recorded", "recorded over predicted"),
        values=values,
    )
    for key, record in table.each("training-memory"):
        for recipe, (words, state) in REPORTED.items():
            if f"{recipe}.bytes_per_parameter" in set(fields(record.results)):
                held = f"{key}: {recipe}.bytes_per_parameter"
                predicted = f"bytes_per_parameter({state})"
                over = OVER.format(held=held, predicted=predicted)
                table.row(
                    f"bytes per parameter, {words}",
                    table.number(record=held),
                    table.number(calc=over, decimals=3),
                    predicted=predicted,
                )
    for key, record in table.each("activations"):
        if "measured_over_formula" in record.results:
            over = f"{key}: measured_over_formula"
            table.row(
                "bytes of activations per layer, token and unit of width",
                table.number(calc=f"record('{over}') * bytes_per_hidden()", decimals=1),
                table.number(record=over),
                predicted="bytes_per_hidden()",
            )
    return table


def recipes(values: Values) -> Table:
    """Predicted and held, recipe by recipe, and the most at any moment of two steps.

    What is held is the sum of all tensors; on a GPU beside it what its allocator says of them, with
    what it rounds up and what libraries take.
    """
    table = Table(
        *("device", "recipe"),
        Column("predicted, bytes per parameter", calc="{predicted}"),
        "held after the first step",
        Column("held over predicted", calc=OVER, decimals=4),
        Column("by the card's allocator", record="{allocator}.bytes_per_parameter", decimals=4),
        Column("peak of the update itself", record="{peak}", decimals=2),
        values=values,
    )
    for key, record in table.each("training-memory"):
        for name, (words, state) in RECIPES.items():
            found = record.results.get("recipes", {}).get(name, {})
            place = f"{key}: recipes.{name}"
            if "not_run" in found:
                table.row(words, f"not run: {found['not_run']}")
            elif found:
                held = f"{place}.bytes_per_parameter"
                predicted = {"predicted": f"bytes_per_parameter({state})"} if state else {}
                on_a_card = {"allocator": f"{place}.allocator"} if "allocator" in found else {}
                table.row(
                    words,
                    table.number(record=held, decimals=4),
                    held=held,
                    peak=f"{place}.phases.first_step.peak_bytes_per_parameter",
                    **predicted,
                    **on_a_card,
                )
    return table


def explained(values: Values) -> Table:
    """What lies between the sum of all tensors and what is counted from outside."""
    table = Table(
        *("device", "recipe", "counted by", "workspaces of libraries"),
        Column("least, bytes per parameter", record="{least}", decimals=2),
        Column("most", record="{most}", decimals=2),
        values=values,
    )
    replayed = "CUDA's allocator, replayed over batches of many sizes"
    system = "the operating system, on a CPU"
    for key, record in table.each("training-memory"):
        for name, found in record.results.get("scan", {}).items():
            for workspaces, count in WORKSPACES.items():
                if workspaces in found:
                    place = f"{key}: scan.{name}.{workspaces}"
                    how = (RECIPES[name][0], replayed, count)
                    table.row(*how, least=f"{place}.least", most=f"{place}.most")
        for name, found in record.results.get("resident", {}).items():
            for kept, words in BUFFERS.items():
                if kept in found:
                    held = f"{key}: resident.{name}.{kept}.bytes_per_parameter"
                    table.row(RECIPES[name][0], system, words, least=held, most=held)
    return table


TABLES = {
    "training-memory": reported,
    "training-recipes": recipes,
    "training-explained": explained,
}
