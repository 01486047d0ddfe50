"""What a record of the embedded model's training must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(sections=("held_out_nats_per_token", "held_out_nats_per_byte", "log"))
