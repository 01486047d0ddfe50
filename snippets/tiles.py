"""Bytes between a GPU's memory and its multiprocessors, for matmul and attention cut into tiles.

The chapter "Inside a GPU" derives them; `snippets/counted_kernels.py` runs such kernels and counts.
"""

import math

from snippets.arguments import require_count, require_positive
from snippets.hardware.accelerator import Accelerator

REGISTERS = 65536  # of 32 bits on each multiprocessor
BANKS = 32  # of shared memory, each of four bytes per clock


def matmul_elements(*, rows: int, columns: int, inner: int, tile: int) -> int:
    """Elements that a product loads and stores, in output tiles of `tile` × `tile`.

    Each tile of the output loads its rows of the first matrix and its columns of the second, and is
    stored once. A tile of one is the product without any reuse.

    >>> matmul_elements(rows=8, columns=8, inner=8, tile=1)
    1088
    >>> matmul_elements(rows=8, columns=8, inner=8, tile=4)
    320
    """
    require_count(rows=rows, columns=columns, inner=inner, tile=tile)
    row_tiles, column_tiles = math.ceil(rows / tile), math.ceil(columns / tile)
    return column_tiles * rows * inner + row_tiles * inner * columns + rows * columns


def tile_intensity(tile: float, bytes_per_element: float) -> float:
    """Operations per byte while a tile × tile output is summed up: 2 t² over 2 t elements.

    >>> tile_intensity(128, 2)
    64.0
    """
    require_positive(tile=tile, bytes_per_element=bytes_per_element)
    return tile / bytes_per_element


def balanced_tile(balance: float, bytes_per_element: float) -> float:
    """The edge of the tile from which on a product is compute-bound, at a balance point in op/B.

    >>> balanced_tile(300, 2)
    600
    """
    require_positive(balance=balance, bytes_per_element=bytes_per_element)
    return balance * bytes_per_element


def softmax_elements(elements: int, *, merged: bool) -> int:
    """Elements that the softmax of a row loads and stores.

    Three passes load it for its largest, for the sum and for the result. Online, where the first two
    are `merged` (Milakov and Gimelshein 2018, section 3, algorithm 3), two do.

    >>> softmax_elements(100, merged=False), softmax_elements(100, merged=True)
    (400, 300)
    """
    require_count(elements=elements)
    return (3 if merged else 4) * elements


def attention_elements(*, tokens: int, head_dim: int, block: int = 0) -> int:
    """Elements that one head's attention loads and stores, without a mask.

    With `block` queries at a time (Dao et al. 2022, section 3.1) the scores never leave the
    multiprocessor, and keys and values are loaded once for each block. Without (0), scores and their
    softmax go to memory and come back.

    >>> attention_elements(tokens=1024, head_dim=64), attention_elements(tokens=1024, head_dim=64, block=128)
    (4456448, 1179648)
    """
    require_count(tokens=tokens, head_dim=head_dim)
    ends = 2 * tokens * head_dim
    if not block:
        return ends + 2 * tokens * head_dim + 4 * tokens * tokens
    return ends + math.ceil(tokens / block) * 2 * tokens * head_dim


def balanced_block(balance: float, bytes_per_element: float) -> float:
    """Queries in a block from which on attention is compute-bound: 4 B T d over 2 T d elements.

    >>> balanced_block(300, 2)
    300.0
    """
    require_positive(balance=balance, bytes_per_element=bytes_per_element)
    return balance * bytes_per_element / 2


def block_that_fits(*, shared_memory: float, head_dim: int, bytes_per_element: float) -> int:
    """Queries in a block whose tiles of queries, keys, values and output fit into shared memory.

    >>> block_that_fits(shared_memory=65536, head_dim=64, bytes_per_element=2)
    128
    """
    require_positive(shared_memory=shared_memory, bytes_per_element=bytes_per_element)
    require_count(head_dim=head_dim)
    return math.floor(shared_memory / (4 * head_dim * bytes_per_element))


def register_bytes(card: Accelerator) -> int:
    """Bytes of all registers of a card.

    >>> from snippets.hardware import h100_sxm
    >>> register_bytes(h100_sxm) / 2**20
    33.0
    """
    return 4 * REGISTERS * _known(card.multiprocessors)


def shared_bytes(card: Accelerator) -> int:
    """Bytes of all shared memories of a card.

    >>> from snippets.hardware import h100_sxm
    >>> shared_bytes(h100_sxm) / 2**20
    29.390625
    """
    return _known(card.shared_memory) * _known(card.multiprocessors)


def shared_bandwidth(card: Accelerator) -> float:
    """Bytes/s of all shared memories: each of 32 banks gives four bytes per clock.

    >>> from snippets.hardware import h100_sxm
    >>> shared_bandwidth(h100_sxm) / 1e12
    33.45408
    """
    return 4 * BANKS * _known(card.multiprocessors) * (card.clock or 0.0)


def _known(figure: int | None) -> int:
    if figure is None:
        raise ValueError("nobody has entered what is inside this card")
    return figure


def int4_matvec_bytes(*, rows: int, columns: int, group: int, block: int) -> float:
    """Bytes that a matrix of four-bit weights times an FP16 vector loads and stores.

    Half a byte for a weight, an FP16 scale for each `group`; the vector once for each `block` of rows.

    >>> int4_matvec_bytes(rows=4, columns=8, group=4, block=2)
    72.0
    """
    require_count(rows=rows, columns=columns, group=group, block=block)
    weights = rows * columns / 2 + 2 * rows * math.ceil(columns / group)
    return weights + 2 * columns * math.ceil(rows / block) + 2 * rows
