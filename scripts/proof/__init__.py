"""Keeping chapters in step with code: parse, evaluate, compare."""
