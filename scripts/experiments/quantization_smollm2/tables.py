"""The loss of SmolLM2-135M for each number of bits."""

from scripts.experiments.quantization.tables import losses
from scripts.tables.table import Table, Values


def smollm2(values: Values) -> Table:
    """As that of the embedded model, for the granularities that were swept."""
    return losses(values, "quantization-smollm2")


TABLES = {"quantization-smollm2": smollm2}
