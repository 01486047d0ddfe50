"""The rest of this room asks it where to run: on real tensors of a GPU, on fake ones everywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch._subclasses.fake_tensor import FakeTensorMode


@contextmanager
def tensors(*, real: bool, device: str, dtype: torch.dtype = torch.float32) -> Iterator[None]:
    """A context whose new tensors are on `device`, of `dtype`, and have memory only if `real`."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device):
            if real:
                yield
            else:
                with FakeTensorMode():
                    yield
    finally:
        torch.set_default_dtype(before)
