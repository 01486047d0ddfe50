"""Decoders in plain PyTorch, with the parameter names that published checkpoints use."""
