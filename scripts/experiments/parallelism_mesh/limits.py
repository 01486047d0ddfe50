"""What a record of a mesh of ranks must hold."""

from scripts.experiments.expected import Expected

# What "This machine" shows of it.
SHOWN = r"(gradient|weight)_difference|wire_bytes"

# No bytes on the wire: a kernel counts them on Linux and for gloo alone.
EXPECTED = Expected(sections=("layout", "model", "transfers", "ranks"))
