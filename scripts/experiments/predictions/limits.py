"""What a record of predictions must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(
    sections=("models", "runs", "errors", "worst", "reported_bytes", "predicted_bytes")
)

# Its numbers depend on no device: they are published once.
SAME_EVERYWHERE = True
