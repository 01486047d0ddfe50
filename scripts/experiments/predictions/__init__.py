"""Predicted beside published memory of training runs."""
