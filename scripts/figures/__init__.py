"""Figures in the style of the house, each with its data."""
