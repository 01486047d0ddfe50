"""What a record of tensor parallelism must hold."""

from scripts.experiments.expected import Expected

# What "This machine" shows of it.
SHOWN = r".*\.(gradient_difference|wire_bytes)"

EXPECTED = Expected(
    sections=lambda record: ("model", *(f"ranks_{n}" for n in record.parameters["ranks"]))
)
