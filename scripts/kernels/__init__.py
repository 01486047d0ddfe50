"""Single operations whose speed is measured."""
