"""What a record of data parallelism must hold."""

from scripts.experiments.expected import Expected

# What "This machine" shows of it.
SHOWN = r".*\.(gradient_difference|wire_bytes|between_steps_bytes)"

EXPECTED = Expected(
    sections=lambda record: ("model", *(f"ranks_{n}" for n in record.parameters["ranks"]))
)
