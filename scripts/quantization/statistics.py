"""The sweep hands it one matrix and its rounded form; back comes how far its outliers reach, and what
they cost the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


def outlier_deviations(matrix: Tensor) -> float:
    """The largest magnitude in standard deviations of all weights; zero where all are the same."""
    wide = matrix.float()
    deviation = float(wide.std(correction=0))
    return float(wide.abs().max()) / deviation if deviation else 0.0


def share_at_zero(rounded: Tensor) -> float:
    """Share of the weights that are zero after rounding."""
    return 1 - int(torch.count_nonzero(rounded)) / rounded.numel()


def relative_error(matrix: Tensor, rounded: Tensor) -> float:
    """||w - rounded|| / ||w||, over the whole matrix; zero for a matrix of zeros."""
    wide = matrix.float()
    length = float(wide.norm())
    return float((wide - rounded.float()).norm()) / length if length else 0.0


def histogram(matrix: Tensor, *, bins: int) -> list[int]:
    """Counts of weights in equal bins from -max|w| to max|w|."""
    wide = matrix.float().flatten().cpu()
    largest = float(wide.abs().max())
    return [int(count) for count in torch.histc(wide, bins=bins, min=-largest, max=largest)]
