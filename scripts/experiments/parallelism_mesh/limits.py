"""What a record of a mesh of ranks must hold."""

from scripts.experiments.expected import Expected

# What "This machine" shows of it.
SHOWN = r"(gradient|weight)_difference|wire_bytes"

EXPECTED = Expected(sections=("layout", "model", "transfers", "wire_bytes", "ranks"))
