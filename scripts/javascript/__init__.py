"""The arithmetic of `snippets/` (and the planner's) as one JavaScript module, so that a page computes
with the very formulas that the book shows.

A small translator over Python's `ast`: a module that NumPy stands in is left out with all that import
it, only what the entry points reach is written, and whatever lies outside the subset stops the build
with its file, its line and a remedy. SymPy's printers do not carry this: they print mathematical
expressions, not dataclasses, keyword arguments, registries and refusals.

Numbers keep Python's two kinds: an int is a BigInt, exact at any size (a double would be below 2**53
only), a float is a Number. So `7 / 2`, `-7 // 2`, "not 7.0" in a message and JSON come out as in
Python. Sums run from left to right, as in CPython 3.11; 3.12 and later compensate the sum of floats.
"""
