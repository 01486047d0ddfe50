"""Staircase: rates of memory from the cache outwards."""
