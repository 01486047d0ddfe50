"""What a record of fine-tuning with adapters must hold."""

from scripts.experiments.expected import Expected

# What "This machine" shows of it.
SHOWN = r"tuned\.\w+\.loss_\w+"

EXPECTED = Expected(sections=("counted", "tuned"))
