"""Sixteen, eighteen or twenty bytes: the terms say which convention is meant."""

from snippets.training_memory import TRAINING_STATES, bytes_per_parameter

for state in TRAINING_STATES.values():
    print(f"{bytes_per_parameter(state)} bytes: {state.name}")
