"""Quantization: what fewer bits cost a trained model."""
