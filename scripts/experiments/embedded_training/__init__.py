"""The training of the embedded model, which scripts/quantization/train_embedded.py does and records."""
