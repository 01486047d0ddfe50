"""How fast this repository's own code is, beside what it cannot be faster than."""
