"""An MLP or an attention split over GPUs: two all-reduces, one forward and one backward."""

import torch
import torch.distributed as dist
from torch import Tensor, nn


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, hidden: Tensor) -> Tensor:
        return hidden.view_as(hidden)  # each rank has all of it already

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:
        dist.all_reduce(total := gradient.clone())  # tokens x sequences x width
        return total


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, partial: Tensor) -> Tensor:
        dist.all_reduce(total := partial.clone())  # tokens x sequences x width
        return total

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:
        return gradient  # each rank has all of it already


class TensorParallel(nn.Module):
    def __init__(self, part: nn.Module, first: list[nn.Linear], last: nn.Linear) -> None:
        super().__init__()
        self.part = part
        ranks, rank = dist.get_world_size(), dist.get_rank()
        for matrix in first:  # by columns, or heads: the rows of PyTorch's (out, in)
            matrix.weight = nn.Parameter(torch.vsplit(matrix.weight.data, ranks)[rank].clone())
        last.weight = nn.Parameter(torch.hsplit(last.weight.data, ranks)[rank].clone())

    def forward(self, hidden: Tensor) -> Tensor:
        return Sum.apply(self.part(Copy.apply(hidden)))
