"""Tensor parallelism: the collectives of a step."""
