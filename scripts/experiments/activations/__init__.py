"""Activations: what a layer keeps for its backward pass."""
