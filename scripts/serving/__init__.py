"""Decoding: what runs a model for a reader."""
