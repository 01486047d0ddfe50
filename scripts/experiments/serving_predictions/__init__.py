"""Predicted beside published times of serving runs."""
