"""Experiments: the only code that touches a device."""
