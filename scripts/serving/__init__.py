"""Serving: an engine that answers many requests at once, and plain decoding to measure against."""
