"""What was measured for this handbook, beside its prediction."""

import math
from collections.abc import Mapping

from scripts.records.record import Record, fields
from scripts.render.markdown import Table

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
        "the same for one twelve times as large",
        "record('{key}: models.1B.batch.1.ceiling_tokens_per_second')",
        "decoding: models.1B.batch.1.tokens_per_second",
        "tokens/s",
        1,
    ),
)


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The table by path under docs/."""
    return {"tables/own-measurements.md": _own(records).encode()}


def _own(records: Mapping[str, Record]) -> str:
    table = Table(
        "own-measurements",
        "what",
        "device",
        "predicted",
        "measured",
        "error",
        records=records,
    )
    for what, prediction, found, unit, decimals in OWN:
        experiment, _, path = found.partition(": ")
        for key, record in records.items():
            if experiment not in (key, record.experiment) or path not in set(
                fields(record.results)
            ):
                continue
            predicted, measured = prediction.format(key=key), f"{key}: {path}"
            error = f"({predicted}) / record('{measured}') - 1"
            table.row(
                what,
                f"`{key.partition('/')[0]}`",
                table.number("calc", predicted, suffix=unit, decimals=decimals),
                table.number("record", measured, suffix=unit, decimals=decimals),
                table.number("calc", error, suffix="%", decimals=_decimals(table, error)),
            )
    return table.markdown()


def _decimals(table: Table, error: str) -> int:
    """One, or as many as a smaller error needs to show that it is not none."""
    percent = abs(table.value("calc", error)) * 100
    return 1 if percent == 0 or percent >= 0.05 else math.ceil(-math.log10(percent))
