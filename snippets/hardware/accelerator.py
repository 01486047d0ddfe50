"""An accelerator as its maker describes it, each figure with its source."""

from dataclasses import dataclass

from snippets.sources import Source

GiB = 2**30  # makers write "80 GB" for GPU memory that holds 80 GiB


@dataclass(frozen=True, kw_only=True)
class Accelerator:
    """A device's figures: bytes, bytes/s, operations/s (dense, never with sparsity) and watts.

    A matrix product accumulates in FP32 (INT32 for INT8). `link_bandwidth` is that of all links to
    other accelerators together, in one direction. None: not offered, or not published.
    """

    name: str
    memory: int
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
    sources: dict[str, Source]


@dataclass(frozen=True)
class Document:
    """A datasheet that states several figures of an accelerator; `read` is as in `Source`."""

    title: str
    url: str
    read: str = ""

    def cite(self, device: str, **sections: str) -> dict[str, Source]:
        """Field to source, for each field's place in the column of `device`."""
        return {
            field: Source(self.title, f"{device}: {section}", self.url, self.read)
            for field, section in sections.items()
        }
