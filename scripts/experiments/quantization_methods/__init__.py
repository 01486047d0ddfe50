"""Methods that choose their rounding better than to nearest."""
