"""What a record of training memory must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(sections=("recipes", "timelines", "resident", "large"))
