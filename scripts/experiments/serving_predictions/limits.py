"""What a record of serving predictions must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(sections=("runs", "parts", "validation", "kinds", "worst", "refused"))

# Its numbers depend on no device: they are published once.
SAME_EVERYWHERE = True
