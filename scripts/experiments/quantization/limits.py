"""What a record of a sweep of bits must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(sections=("loss", "bits_per_weight", "matrix", "median_matrix"))
