"""What was measured for this handbook, beside its prediction."""

import math
from typing import Any

from scripts.records.record import fields
from scripts.tables.table import Column, Table, Values

MATRIX_SECONDS = (
    "transfer_seconds(product_bytes(rows=2**14, columns=2**14, vectors=1,"
    " bytes_per_element=FP16.bytes), rtx_3060.memory_bandwidth)"
)
OWN = (  # what, its prediction, experiment (of one device or any) and place, unit, decimals
    (
        "copy of a buffer",
        "rtx_3060.memory_bandwidth",
        "rtx-3060/bandwidth: copy.bytes_per_second",
        "GB/s",
        0,
    ),
    (
        "large FP16 matrix times a vector",
        MATRIX_SECONDS,
        "rtx-3060/bandwidth: fp16.matrix_vector.seconds",
        "ms",
        2,
    ),
    (
        "training with Adam in FP32, bytes a parameter",
        "training_bytes(1)",
        "training-memory: fp32.bytes_per_parameter",
        "",
        2,
    ),
    (
        "the same in mixed precision",
        "training_bytes(1)",
        "training-memory: mixed.bytes_per_parameter",
        "",
        2,
    ),
    (
        "training with Adam in FP32, bytes a parameter",
        "training_bytes(1)",
        "training-memory: recipes.fp32_adamw_foreach.bytes_per_parameter",
        "",
        2,
    ),
    (
        "activations of a layer, in units of the formula",
        "1",
        "activations: measured_over_formula",
        "",
        3,
    ),
    (
        "activations of the formula's own layer, in units of the formula",
        "1",
        "activations: gpt.materialised.with_dropout.bf16.none.over_formula",
        "",
        3,
    ),
    (
        "decoding a small model in FP32, beside the ceiling of the rate of reading",
        "record('{key}: models.100M.batch.1.ceiling_tokens_per_second')",
        "decoding: models.100M.batch.1.tokens_per_second",
        "tokens/s",
        1,
    ),
    (
        "the same for a much larger one",
        "record('{key}: models.1B.batch.1.ceiling_tokens_per_second')",
        "decoding: models.1B.batch.1.tokens_per_second",
        "tokens/s",
        1,
    ),
)


def own_measurements(values: Values) -> Table:
    """A row for each device that a prediction was measured on."""
    error = "({predicted}) / record('{measured}') - 1"
    table = Table(
        *("what", "device", "predicted", "measured"),
        Column("error", calc=error, suffix="%", decimals=_decimals),
        values=values,
    )
    for what, prediction, found, unit, decimals in OWN:
        experiment, _, path = found.partition(": ")
        look: dict[str, Any] = {"suffix": unit, "decimals": decimals}
        for key, record in values.published.items():
            if experiment in (key, record.experiment) and path in set(fields(record.results)):
                predicted, measured = prediction.format(key=key), f"{key}: {path}"
                table.row(
                    *(what, f"`{key.partition('/')[0]}`"),
                    table.number(calc=predicted, **look),
                    table.number(record=measured, **look),
                    predicted=predicted,
                    measured=measured,
                )
    return table


def _decimals(percent: float) -> int:
    """One, or as many as a smaller error needs to show that it is not none."""
    percent = abs(percent)
    return 1 if percent == 0 or percent >= 0.05 else math.ceil(-math.log10(percent))


TABLES = {"own-measurements": own_measurements}
