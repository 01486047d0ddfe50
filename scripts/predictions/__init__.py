"""Published runs beside what the arithmetic says of them; `scripts/predictions.py` prints it."""
