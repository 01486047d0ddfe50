"""Decoding: tokens per second against the ceiling that memory sets."""
