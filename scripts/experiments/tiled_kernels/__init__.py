"""Matmul, softmax, attention and an INT4 product as tiles: on a GPU for real, else in an interpreter."""
