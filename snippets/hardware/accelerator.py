"""An accelerator as its maker describes it, each figure with its source."""

from dataclasses import dataclass

from snippets.sources import Source


@dataclass(frozen=True, kw_only=True)
class Accelerator:
    """A device's figures: bytes, bytes/s, operations/s (dense, never with sparsity) and watts.

    `memory` is what is sold (makers write "80 GB" for 80 GiB), `usable_memory` what its driver has
    for programs. A matrix product accumulates in FP32 (INT32 for INT8). `link_bandwidth` is that of
    all links to other accelerators together, in one direction. None: not offered, or not published.
    `kind` is PyTorch's word for such devices; AMD's cards answer to "cuda" too.
    """

    name: str
    kind: str
    memory: int
    usable_memory: int | None = None
    memory_bandwidth: float
    dense_fp32: float | None = None
    dense_tf32: float | None = None
    dense_fp16: float | None = None
    dense_bf16: float | None = None
    dense_fp8: float | None = None
    dense_int8: float | None = None
    dense_fp4: float | None = None
    link_bandwidth: float | None = None
    power: float | None = None
    multiprocessors: int | None = None
    shared_memory: int | None = None
    level_two: int | None = None
    clock: float | None = None
    sources: dict[str, Source]


def usable_memory(card: Accelerator) -> int:
    """The bytes that programs can have; all that is sold where no driver's figure was read.

    >>> from snippets.hardware import h100_sxm, rtx_3060
    >>> usable_memory(h100_sxm) / 2**20, usable_memory(rtx_3060) / 2**30
    (81559.0, 12.0)
    """
    return card.usable_memory or card.memory
