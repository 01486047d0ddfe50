"""What the built site adds to stock Markdown."""
