"""All-reduce and all-gather by size."""
