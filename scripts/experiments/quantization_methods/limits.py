"""What a record of methods of rounding must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(sections=("baseline", "method", "int8_product"))
