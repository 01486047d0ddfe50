"""Bandwidth: copies, reads and products beside what datasheets promise."""
