"""The training of the embedded model, which scripts/train_embedded.py does and records."""
