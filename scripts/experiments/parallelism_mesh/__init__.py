"""All splits together on a mesh of ranks."""
