"""What builds the handbook: measuring, rendering, checking."""
