"""What a record of the engine must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(
    sections=("requests", "pages", "prefixes", "batching", "timeline", "speculation", "cache")
)
