"""What a record of a mesh of ranks must hold."""

from scripts.experiments.expected import Expected

# What "This machine" shows of it.
SHOWN = r"(gradient|weight)_difference|wire_bytes"

# Bytes on the wire are counted on Linux and by gloo alone: a record may lack them.
EXPECTED = Expected(sections=("layout", "model", "transfers", "ranks"))
