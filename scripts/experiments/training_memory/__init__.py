"""Training memory: bytes per parameter through two steps."""
