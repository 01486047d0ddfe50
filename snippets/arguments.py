"""What every function here asks of its arguments."""

import math


def require_positive(**arguments: float) -> None:
    """Raise ValueError for the first argument that is not above zero and finite.

    >>> require_positive(rows=0.5, columns=3)
    >>> require_positive(rows=7, columns=0)
    Traceback (most recent call last):
    ValueError: columns must be a positive number, not 0
    >>> require_positive(rows=math.inf)
    Traceback (most recent call last):
    ValueError: rows must be a positive number, not inf
    """
    for name, value in arguments.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name} must be a positive number, not {value}")


def require_not_negative(**arguments: float) -> None:
    """Raise ValueError for the first argument that is below zero or not finite.

    >>> require_not_negative(zero_bits=0, scale_bits=0.5)
    >>> require_not_negative(zero_bits=0, scale_bits=-0.5)
    Traceback (most recent call last):
    ValueError: scale_bits must be zero or a positive number, not -0.5
    >>> require_not_negative(scale_bits=math.inf)
    Traceback (most recent call last):
    ValueError: scale_bits must be zero or a positive number, not inf
    """
    for name, value in arguments.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be zero or a positive number, not {value}")


def require_count(**arguments: float) -> None:
    """Raise ValueError for the first argument that is not a whole number from one up.

    >>> require_count(stages=1, copies=7.0)
    >>> require_count(stages=16, copies=0)
    Traceback (most recent call last):
    ValueError: copies must be a whole number from 1 up, not 0
    >>> require_count(stages=2.5)
    Traceback (most recent call last):
    ValueError: stages must be a whole number from 1 up, not 2.5
    >>> require_count(stages=math.inf)
    Traceback (most recent call last):
    ValueError: stages must be a whole number from 1 up, not inf
    """
    for name, value in arguments.items():
        if not (value >= 1 and value % 1 == 0):
            raise ValueError(f"{name} must be a whole number from 1 up, not {value}")
