"""Time that memory takes: the ceiling on decoding, the balance point and the roofline."""

import math

from snippets.arguments import require_count, require_not_negative, require_positive


def transfer_seconds(bytes_moved: float, bandwidth: float) -> float:
    """Seconds that moving bytes takes at a bandwidth in bytes/s.

    >>> transfer_seconds(21e9, 3e9)
    7.0
    >>> transfer_seconds(21e9, 0)
    Traceback (most recent call last):
    ValueError: bandwidth must be a positive number, not 0
    """
    require_positive(bytes_moved=bytes_moved, bandwidth=bandwidth)
    return bytes_moved / bandwidth


def decode_ceiling(memory_bandwidth: float, bytes_per_token: float) -> float:
    """Tokens/s that decoding stays under when each token reads `bytes_per_token` from memory.

    For one sequence at a time these are all the weights, once.

    >>> decode_ceiling(3.35e12, 16e9)
    209.375
    >>> decode_ceiling(3.35e12, 0)
    Traceback (most recent call last):
    ValueError: bytes_per_token must be a positive number, not 0
    """
    require_positive(memory_bandwidth=memory_bandwidth, bytes_per_token=bytes_per_token)
    return memory_bandwidth / bytes_per_token


def balance_point(peak_operations: float, memory_bandwidth: float) -> float:
    """Operations per byte at which arithmetic and memory take equally long.

    `peak_operations` in operations/s, `memory_bandwidth` in bytes/s. It is the arithmetic
    intensity at the roofline's ridge (Williams, Waterman and Patterson 2009).

    >>> balance_point(21e12, 0.4e12)
    52.5
    >>> balance_point(0, 0.4e12)
    Traceback (most recent call last):
    ValueError: peak_operations must be a positive number, not 0
    """
    require_positive(peak_operations=peak_operations, memory_bandwidth=memory_bandwidth)
    return peak_operations / memory_bandwidth


def arithmetic_intensity(operations: float, bytes_moved: float) -> float:
    """Operations done for each byte moved.

    >>> arithmetic_intensity(21, 6)
    3.5
    >>> arithmetic_intensity(21, 0)
    Traceback (most recent call last):
    ValueError: bytes_moved must be a positive number, not 0
    >>> arithmetic_intensity(-1, 6)
    Traceback (most recent call last):
    ValueError: operations must be zero or a positive number, not -1
    """
    require_not_negative(operations=operations)
    require_positive(bytes_moved=bytes_moved)
    return operations / bytes_moved


# --8<-- [start:attainable_operations]
def attainable_operations(
    *, intensity: float, peak_operations: float, memory_bandwidth: float
) -> float:
    """Operations/s that the roofline allows at an arithmetic intensity in operations/byte.

    Williams, Waterman and Patterson 2009, Roofline: the lower of what memory feeds and what the
    arithmetic units do.

    >>> attainable_operations(intensity=3, peak_operations=100, memory_bandwidth=7)
    21
    >>> attainable_operations(intensity=30, peak_operations=100, memory_bandwidth=7)
    100
    >>> attainable_operations(intensity=3, peak_operations=100, memory_bandwidth=0)
    Traceback (most recent call last):
    ValueError: memory_bandwidth must be a positive number, not 0
    """
    require_not_negative(intensity=intensity)
    require_positive(peak_operations=peak_operations, memory_bandwidth=memory_bandwidth)
    return min(intensity * memory_bandwidth, peak_operations)


# --8<-- [end:attainable_operations]


def roofline_seconds(
    *, operations: float, bytes_moved: float, peak_operations: float, memory_bandwidth: float
) -> float:
    """Seconds that the roofline predicts: the longer of the arithmetic and the transfer.

    >>> work = {"peak_operations": 100, "memory_bandwidth": 7}
    >>> roofline_seconds(operations=300, bytes_moved=14, **work)
    3.0
    >>> roofline_seconds(operations=300, bytes_moved=35, **work)
    5.0
    >>> roofline_seconds(operations=300, bytes_moved=0, **work)
    Traceback (most recent call last):
    ValueError: bytes_moved must be a positive number, not 0
    """
    require_not_negative(operations=operations)
    require_positive(
        bytes_moved=bytes_moved, peak_operations=peak_operations, memory_bandwidth=memory_bandwidth
    )
    return max(operations / peak_operations, bytes_moved / memory_bandwidth)


def product_operations(*, rows: float, columns: float, vectors: float) -> float:
    """Operations of a matrix times a batch of vectors: one multiply and one add per weight each.

    >>> product_operations(rows=3, columns=5, vectors=7)
    210
    >>> product_operations(rows=3, columns=5, vectors=0)
    Traceback (most recent call last):
    ValueError: vectors must be a positive number, not 0
    """
    require_positive(rows=rows, columns=columns, vectors=vectors)
    return 2 * rows * columns * vectors


def product_bytes(
    *, rows: float, columns: float, vectors: float, bytes_per_element: float
) -> float:
    """Bytes that a matrix times a batch of vectors moves at least: each array passes once.

    The matrix is rows x columns, the batch going in columns x vectors, coming out rows x vectors.

    >>> product_bytes(rows=3, columns=5, vectors=7, bytes_per_element=2)
    142
    >>> product_bytes(rows=3, columns=5, vectors=7, bytes_per_element=0)
    Traceback (most recent call last):
    ValueError: bytes_per_element must be a positive number, not 0
    """
    require_positive(
        rows=rows, columns=columns, vectors=vectors, bytes_per_element=bytes_per_element
    )
    return (rows * columns + columns * vectors + rows * vectors) * bytes_per_element


def product_intensity(
    *, rows: float, columns: float, vectors: float, bytes_per_element: float
) -> float:
    """Operations per byte of a matrix times a batch of vectors.

    Near `vectors` times 2 / `bytes_per_element` while the vectors are few beside the matrix.

    >>> product_intensity(rows=3, columns=5, vectors=7, bytes_per_element=2)
    1.4788732394366197
    """
    return arithmetic_intensity(
        product_operations(rows=rows, columns=columns, vectors=vectors),
        product_bytes(
            rows=rows, columns=columns, vectors=vectors, bytes_per_element=bytes_per_element
        ),
    )


def balanced_vectors(balance: float, bytes_per_element: float) -> float:
    """Vectors at which a product with a matrix much larger than them reaches the balance point.

    Counts the matrix alone: two operations for each of its elements and vectors.

    >>> balanced_vectors(295, 4)
    590.0
    >>> balanced_vectors(0, 4)
    Traceback (most recent call last):
    ValueError: balance must be a positive number, not 0
    """
    require_positive(balance=balance, bytes_per_element=bytes_per_element)
    return balance * bytes_per_element / 2


def compute_bound_vectors(
    *, rows: float, columns: float, bytes_per_element: float, balance: float
) -> float:
    """Vectors from which a product is limited by arithmetic, with every array counted.

    Solves `product_intensity` = `balance` for the vectors; infinity where the vectors themselves
    move too much for that ever to happen.

    >>> compute_bound_vectors(rows=300, columns=600, bytes_per_element=2, balance=50)
    66.66666666666667
    >>> compute_bound_vectors(rows=1, columns=1, bytes_per_element=1, balance=0.75)
    1.5
    >>> compute_bound_vectors(rows=100, columns=100, bytes_per_element=2, balance=50)
    inf
    >>> compute_bound_vectors(rows=100, columns=100, bytes_per_element=2, balance=51)
    inf
    >>> compute_bound_vectors(rows=100, columns=0, bytes_per_element=2, balance=51)
    Traceback (most recent call last):
    ValueError: columns must be a positive number, not 0
    """
    require_positive(
        rows=rows, columns=columns, bytes_per_element=bytes_per_element, balance=balance
    )
    per_matrix = balance * bytes_per_element * rows * columns
    per_vector = 2 * rows * columns - balance * bytes_per_element * (rows + columns)
    return per_matrix / per_vector if per_vector > 0 else math.inf


def saxpy_operations(elements: float) -> float:
    """Operations of y = a x + y over FP32 vectors: one multiply and one add per element.

    >>> saxpy_operations(7)
    14
    >>> saxpy_operations(0)
    Traceback (most recent call last):
    ValueError: elements must be a positive number, not 0
    """
    require_positive(elements=elements)
    return 2 * elements


def saxpy_bytes(elements: float) -> float:
    """Bytes that y = a x + y over FP32 vectors moves: read x, read y, write y.

    >>> saxpy_bytes(7)
    84
    >>> saxpy_bytes(0)
    Traceback (most recent call last):
    ValueError: elements must be a positive number, not 0
    """
    require_positive(elements=elements)
    return (4 + 4 + 4) * elements


def copy_bytes(buffer_bytes: float) -> float:
    """Bytes that copying a buffer moves: every byte is read and written.

    >>> copy_bytes(7)
    14
    >>> copy_bytes(0)
    Traceback (most recent call last):
    ValueError: buffer_bytes must be a positive number, not 0
    """
    require_positive(buffer_bytes=buffer_bytes)
    return 2 * buffer_bytes


def kv_cache_bytes_per_token(
    *, layers: int, kv_heads: int, head_dim: int, bytes_per_element: float
) -> float:
    """Bytes that each token leaves in the attention cache: a key and a value per layer and head.

    >>> kv_cache_bytes_per_token(layers=3, kv_heads=5, head_dim=7, bytes_per_element=2)
    420
    >>> kv_cache_bytes_per_token(layers=3, kv_heads=5, head_dim=7, bytes_per_element=0)
    Traceback (most recent call last):
    ValueError: bytes_per_element must be a positive number, not 0
    >>> kv_cache_bytes_per_token(layers=3, kv_heads=0, head_dim=7, bytes_per_element=2)
    Traceback (most recent call last):
    ValueError: kv_heads must be a whole number from 1 up, not 0
    """
    require_count(layers=layers, kv_heads=kv_heads, head_dim=head_dim)
    require_positive(bytes_per_element=bytes_per_element)
    return 2 * layers * kv_heads * head_dim * bytes_per_element


def batched_decode_ceiling(
    *, memory_bandwidth: float, weight_bytes: float, cache_bytes: float, sequences: int
) -> float:
    """Tokens/s over all sequences when one step reads the weights once and every cache.

    `cache_bytes` is one sequence's; with few sequences the weights dominate and the rate grows
    with their number, with many the caches do and it stops growing.

    >>> batched_decode_ceiling(
    ...     memory_bandwidth=380, weight_bytes=4, cache_bytes=5, sequences=3)
    60.0
    >>> batched_decode_ceiling(
    ...     memory_bandwidth=380, weight_bytes=4, cache_bytes=-1, sequences=3)
    Traceback (most recent call last):
    ValueError: cache_bytes must be zero or a positive number, not -1
    >>> batched_decode_ceiling(
    ...     memory_bandwidth=0, weight_bytes=4, cache_bytes=5, sequences=3)
    Traceback (most recent call last):
    ValueError: memory_bandwidth must be a positive number, not 0
    >>> batched_decode_ceiling(
    ...     memory_bandwidth=380, weight_bytes=4, cache_bytes=5, sequences=0)
    Traceback (most recent call last):
    ValueError: sequences must be a whole number from 1 up, not 0
    """
    require_positive(memory_bandwidth=memory_bandwidth, weight_bytes=weight_bytes)
    require_not_negative(cache_bytes=cache_bytes)
    require_count(sequences=sequences)
    return sequences * memory_bandwidth / (weight_bytes + sequences * cache_bytes)
